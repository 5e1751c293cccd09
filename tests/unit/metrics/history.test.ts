import {expect, onTestFinished, test, vi} from "vitest"
import {quantile} from "../../../server/metrics/history/read.ts"
import {emptySample, merge, type Sample, sampleOf, sampleText} from "../../../server/metrics/history/sample.ts"
import {Watch} from "../../../server/metrics/history/watch.ts"
import {showRunning} from "../../../server/runtime/flow/handler-slots.ts"
import {secondsBuckets} from "../../../shared/metrics/meter.ts"
import {Chance} from "../../support/machine/chance.ts"

const chance = new Chance(20_270_301)
const count = () => chance.below(1000)
const some = (most: number) => Array.from({length: chance.below(most + 1)}, count)

const anySample = (): Sample => ({
  ...{received: count(), handled: count(), failed: count(), sent: count(), unsent: count()},
  ...{ran: count(), handlers: some(14), commits: some(14), delay: count(), bytes: count(), memory: count()},
  endpoints: states("irc~libera", "sandbox", "constructor"),
  subjects: states("bot", "plugin/constructor"),
})

const states = (...names: readonly string[]) =>
  Object.fromEntries(
    names.filter(() => chance.below(2) === 1).map(name => [name, {online: count(), reconnecting: count()}]),
  )

test("spans add up the same in any order, and an empty one changes nothing", () => {
  for (let n = 0; n < 500; n++) {
    const [one, two, three] = [anySample(), anySample(), anySample()]
    expect(merge(merge(one, two), three)).toEqual(merge(one, merge(two, three)))
    expect(merge(one, emptySample)).toEqual(one)
    expect(merge(emptySample, one)).toEqual(one)
  }
})

test("stored spans are read back unchanged, and an empty one takes little space", () => {
  for (let n = 0; n < 500; n++) {
    const sample = anySample()
    expect(sampleOf(sampleText(sample))).toEqual(sample)
  }
  expect(sampleText({...emptySample, ran: 60})).toBe('{"ran":60}')
})

test("a quantile is read from the buckets: values are spread evenly within one", () => {
  expect(quantile([0, 0, 10], 0.5)).toBe(0.00375)
  expect(quantile([5, 0, 0, 0, 5], 0.5)).toBe(0.001)
  expect(quantile([5, 0, 0, 0, 5], 0.99)).toBeCloseTo(0.0247, 4)
  expect(quantile(secondsBuckets.map(() => 0).concat(3), 0.5)).toBe(60)
  expect(quantile([], 0.5)).toBeNull()
  expect(quantile([0, 0], 0.99)).toBeNull()
})

test("a watch reports how long it ran, how late it was, and each endpoint's states meanwhile", () => {
  let now = 0
  let state = "online"
  const watch = new Watch(
    {endpoints: () => [{name: "irc~libera", state}], subjects: () => [{name: "bot", state: "up"}]},
    () => now,
  )
  const pass = (milliseconds: number, step = 1000) => {
    for (let passed = 0; passed < milliseconds; passed += step) {
      now += step
      watch.look()
    }
  }
  pass(30_000)
  state = "reconnecting"
  pass(10_000)
  now += 2000
  watch.look()
  expect(watch.take()).toEqual({
    ran: 42,
    delay: 1000,
    endpoints: {"irc~libera": {online: 30, reconnecting: 12}},
    subjects: {bot: {up: 42}},
  })
  expect(watch.take()).toEqual({
    ran: 0,
    delay: 0,
    endpoints: {"irc~libera": {reconnecting: 0}},
    subjects: {bot: {up: 0}},
  })
  // The machine slept: nothing ran.
  now += 3_600_000
  watch.look()
  pass(1000)
  expect(watch.take()).toEqual({
    ran: 1,
    delay: 0,
    endpoints: {"irc~libera": {reconnecting: 1}},
    subjects: {bot: {up: 1}},
  })
})

test("a watch checks once a second at rest, and more often from the start of a handler until the process rests", () => {
  vi.useFakeTimers({toFake: ["setInterval", "clearInterval", "performance"]})
  const used = {user: 0, system: 0}
  const usage = vi.spyOn(process, "cpuUsage").mockImplementation(() => ({...used}))
  onTestFinished(() => {
    usage.mockRestore()
    vi.useRealTimers()
  })
  let looks = 0
  const watch = new Watch({endpoints: () => [], subjects: () => []}, () => ++looks)
  const looksIn = (seconds: number, load = 0) => {
    const before = looks
    for (let second = 0; second < seconds; second++) {
      used.user += load * 1_000_000
      vi.advanceTimersByTime(1000)
    }
    return looks - before
  }
  watch.start()
  expect(looksIn(1)).toBeGreaterThan(4)
  expect(looksIn(5)).toBe(5)
  showRunning("a handler", () => {})
  expect(looksIn(1)).toBeGreaterThan(4)
  expect(looksIn(5)).toBe(5)
  expect(looksIn(5, 0.2)).toBeGreaterThan(20)
  expect(looksIn(6)).toBeLessThan(12)
  watch.stop()
  expect(vi.getTimerCount()).toBe(0)
})
