import {setImmediate as turn} from "node:timers/promises"
import {expect, test} from "vitest"
import {TestClock} from "../../../server/runtime/flow/test-clock.ts"
import {readSpan, readTime, type Span, type Time} from "../../../server/testing/clock.ts"

const start = Date.parse("2026-03-01T12:00:00Z")

const settle = async () => void (await turn())

test("a test clock stands still, and wakes due sleepers at once", async () => {
  const clock = new TestClock(start)
  const woken: string[] = []
  clock.wait(1, () => woken.push("later"))
  clock.wait(0, () => woken.push("now"))
  const callOff = clock.wait(0, () => woken.push("called off"))
  expect(clock.isWaking).toBe(true)
  callOff()
  callOff()
  await turn()
  expect({woken, isWaking: clock.isWaking}).toEqual({woken: ["now"], isWaking: false})
  expect({now: clock.now(), elapsed: clock.elapsed(), next: clock.next}).toEqual({
    now: start,
    elapsed: 0,
    next: start + 1,
  })
})

test("moving a clock wakes sleepers in the order of their times, each at its own time", async () => {
  const clock = new TestClock(start)
  const woken: string[] = []
  const note = (name: string) => woken.push(`${name} ${clock.elapsed()}`)
  const again = () => {
    note("every 20")
    clock.wait(20, again)
  }
  clock.wait(30, () => note("c"))
  clock.wait(10, () => {
    note("a")
    clock.wait(5, () => note("b"))
  })
  clock.wait(20, again)
  clock.wait(30, () => note("d"))
  clock.wait(25, () => note("never"))()
  clock.wait(Number.POSITIVE_INFINITY, () => note("at no time"))
  await clock.moveTo(start + 60, settle)
  expect(woken).toEqual(["a 10", "b 15", "every 20 20", "c 30", "d 30", "every 20 40", "every 20 60"])
  expect(clock.now()).toBe(start + 60)
})

test.each<[Span, number]>([
  [90, 90_000],
  [0.5, 500],
  [0, 0],
  [{days: 1, hours: 2, minutes: 3, seconds: 4}, 93_784_000],
  [{minutes: 10}, 600_000],
])("%j is %d ms", (span, milliseconds) => expect(readSpan(span)).toBe(milliseconds))

test.each<[unknown, string]>([
  [{weeks: 1}, "knows days, hours, minutes and seconds, not weeks"],
  [{}, "none of them negative"],
  [-1, "none of them negative"],
  [Number.NaN, "none of them negative"],
  [{hours: "1"}, "none of them negative"],
  [null, "none of them negative"],
  ["10m", "none of them negative"],
])("%j is not a span", (span, why) => expect(() => readSpan(span as Span)).toThrow(why))

test.each<[unknown, number]>([
  ["2026-03-01T12:00:00Z", start],
  [new Date(start), start],
  [start, start],
])("%j is a time", (time, at) => expect(readTime("now", time as Time)).toBe(at))

test.each<unknown>(["soon", Number.NaN, -1, new Date(Number.NaN), undefined, 8.64e15])("%j is not a time", time => {
  expect(() => readTime("now", time as Time)).toThrow(/^now .*\bDate\b/)
})
