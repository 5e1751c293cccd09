import {expect, onTestFinished, test, vi} from "vitest"
import {Pace, Rate} from "../../../server/outbox/pace.ts"
import {Chance, seedOfRun} from "../../support/machine/fault-run.ts"

test("no window of a limit's length contains more messages than the limit", () => {
  const seed = seedOfRun()
  const chance = new Chance(seed)
  const integer = (least: number, most: number) => least + chance.below(most - least + 1)
  for (let n = 0; n < 200; n++) {
    const limits = Array.from({length: integer(1, 3)}, () => ({messages: integer(1, 6), per: integer(1, 100)}))
    const rate = new Rate(limits)
    const begun: number[] = []
    let now = 0
    for (let step = 0; step < 100; step++) {
      const wait = rate.wait(now)
      if (wait <= 0) {
        rate.begin(now)
        begun.push(now)
      } else if (integer(0, 1) === 0) now += wait
      now += integer(0, 3) === 0 ? integer(0, 20) : 0
    }
    for (const {messages, per} of limits) {
      const tooClose = begun.filter((at, index) => at - (begun[index - messages] ?? Number.NEGATIVE_INFINITY) < per)
      expect(tooClose, `seed ${seed}, history ${n}`).toEqual([])
    }
  }
})

test("a send that waits for exactly its given time may start, and not a moment sooner", () => {
  const rate = new Rate([{messages: 2, per: 100}])
  rate.begin(0)
  rate.begin(10)
  expect(rate.wait(50)).toBe(50)
  expect(rate.wait(100)).toBe(0)
  rate.begin(100)
  expect(rate.wait(100)).toBe(10)
})

test("without a limit nothing waits", () => {
  const rate = new Rate([])
  for (let n = 0; n < 10; n++) rate.begin(n)
  expect(rate.wait(5)).toBe(0)
})

test("waiting sends get turns in the order of their requests, and a leaving one passes its turn on", () => {
  vi.useFakeTimers({toFake: ["setTimeout", "clearTimeout", "performance"]})
  onTestFinished(() => void vi.useRealTimers())
  const woken: string[] = []
  const pace = new Pace<string>([{messages: 1, per: 20}], item => woken.push(item))
  expect(pace.ask("first", "first")).toBe(true)
  pace.begin("first")
  for (const key of ["a", "b", "c"]) expect(pace.ask(key, key)).toBe(false)
  expect(pace.ask("a", "a")).toBe(false)
  vi.advanceTimersByTime(19)
  expect(woken).toEqual([])
  vi.advanceTimersByTime(1)
  expect(woken).toEqual(["a"])
  // The turn stays reserved for the send that was woken.
  expect(pace.ask("late", "late")).toBe(false)
  pace.leave("a")
  expect(woken).toEqual(["a", "b"])
  expect(pace.ask("b", "b")).toBe(true)
  pace.begin("b")
  vi.advanceTimersByTime(20)
  expect(woken).toEqual(["a", "b", "c"])
  expect(pace.stop()).toEqual(["late"])
})
