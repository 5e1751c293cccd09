import {setImmediate as turn} from "node:timers/promises"
import {expect, test} from "vitest"
import {DueClock} from "../../../server/runtime/flow/due-clock.ts"
import {log} from "../../support/database/databases.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"

const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`

const settle = async () => {
  for (let i = 0; i < 20; i++) await turn()
}

/** Rows that are due at these minutes, fired two at a time. */
const startClock = (...minutes: number[]) => {
  const clock = new HandClock(at(0), 3_600_000)
  const waiting = minutes.map(minute => Date.parse(at(minute)))
  const fired: number[][] = []
  const failures: Error[] = []
  const due = new DueClock({
    what: "a row",
    log,
    clock,
    next: async () => (waiting.length === 0 ? undefined : Math.min(...waiting)),
    fire: async now => {
      const failure = failures.pop()
      if (failure !== undefined) throw failure
      const page = waiting.filter(time => time <= now).slice(0, 2)
      for (const time of page) waiting.splice(waiting.indexOf(time), 1)
      fired.push(page)
    },
  })
  due.start()
  return {clock, due, waiting, fired, failures}
}

test("the clock fires each row at its time, with one timer, page after page", async () => {
  const {clock, fired} = startClock(5, 7, 7, 7)
  await clock.passTo(at(4), settle)
  expect([fired.length, clock.waiting]).toEqual([0, 1])
  await clock.passTo(at(6), settle)
  expect(fired.map(page => page.length)).toEqual([1])
  await clock.passTo(at(8), settle)
  expect(fired.map(page => page.length)).toEqual([1, 2, 1])
  expect(clock.waiting).toBe(0)
})

test("the clock wakes for a row that is earlier than all others, and for the very first one", async () => {
  const {clock, due, waiting, fired} = startClock()
  await clock.passTo(at(1), settle)
  for (const minute of [9, 3]) {
    waiting.push(Date.parse(at(minute)))
    due.consider(Date.parse(at(minute)))
  }
  await clock.passTo(at(3), settle)
  expect(fired.length).toBe(1)
  await clock.passTo(at(9), settle)
  expect(fired.length).toBe(2)
})

test("the clock fires rows together that fall due shortly after a firing", async () => {
  const {clock, due, waiting, fired} = startClock(1)
  const start = Date.parse(at(1))
  waiting.push(start + 20, start + 40)
  due.consider(start)
  await clock.passTo(new Date(start + 45).toISOString(), settle)
  expect(fired).toEqual([[start]])
  await clock.passTo(new Date(start + 50).toISOString(), settle)
  expect(fired).toEqual([[start], [start + 20, start + 40]])
})

test("the clock retries one second after a failure", async () => {
  const {clock, fired, failures} = startClock(1)
  failures.push(new Error("the disk is full"))
  await clock.passTo(at(1), settle)
  expect([fired.length, clock.waiting]).toEqual([0, 1])
  await clock.passTo(at(2), settle)
  expect(fired.length).toBe(1)
})

test("the clock fires nothing once it is stopped", async () => {
  const {clock, due, fired} = startClock(1)
  await due.stop()
  due.consider(Date.parse(at(1)))
  await clock.passTo(at(2), settle)
  expect([fired.length, clock.waiting]).toEqual([0, 0])
})
