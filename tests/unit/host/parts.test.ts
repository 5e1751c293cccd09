import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {Parts} from "../../../server/host/parts.ts"
import {exit} from "../../../shared/exit.ts"
import type {Log} from "../../../shared/log.ts"

const ending = {code: exit.ok, reason: "the test ended"}

/** Parts that record their starts and stops, and the log lines about them. */
const makeParts = (signal = new AbortController().signal) => {
  const noted: string[] = []
  const note = (level: string) => (message: string) => void noted.push(`${level}: ${message}`)
  const log = {debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error")} as unknown as Log
  const parts = new Parts(log, signal)
  const part = (name: string, more: object = {}) => ({
    name,
    start: () => void noted.push(`start ${name}`),
    stop: () => void noted.push(`stop ${name}`),
    ...more,
  })
  return {parts, part, noted}
}

test("parts start in order and stop in reverse", async () => {
  const {parts, part, noted} = makeParts()
  for (const name of ["a", "b"]) await parts.start(part(name))
  parts.add(part("c"))
  await parts.stop(ending)
  expect(noted).toEqual(["start a", "start b", "stop c", "stop b", "stop a"])
})

test("a part's stop receives the result of its start", async () => {
  const {parts} = makeParts()
  const stopped: unknown[] = []
  const part = await parts.start({name: "lock", start: async () => 7, stop: (...args) => stopped.push(args)})
  await parts.stop(ending)
  expect(part).toBe(7)
  expect(stopped).toEqual([[ending, 7]])
})

test("rows start in order, and those after a failing one are left out", async () => {
  const {parts, part, noted} = makeParts()
  const {stop} = part("only stops")
  const fails = () => {
    throw new Error("no")
  }
  const rows = [part("a"), {name: "only stops", stop}, part("b", {start: fails}), part("c")]
  await expect(parts.startAll(rows)).rejects.toThrow("no")
  await parts.stop(ending)
  expect(noted).toEqual(["debug: starting a", "start a", "debug: starting b", "stop only stops", "stop a"])
})

test("a start that fails stops the parts before it, but not itself", async () => {
  const {parts, part, noted} = makeParts()
  await parts.start(part("a"))
  await expect(parts.start(part("b", {start: () => Promise.reject(new Error("no"))}))).rejects.toThrow("no")
  await parts.stop(ending)
  expect(noted).toEqual(["start a", "stop a"])
})

test("an early part starts to stop before all others, and is awaited in its turn", async () => {
  const {parts, part, noted} = makeParts()
  const early = async () => {
    noted.push("begin early")
    await sleep(20)
    noted.push("end early")
  }
  await parts.start(part("first"))
  await parts.start(part("early", {early: true, stop: early}))
  await parts.start(part("last"))
  noted.splice(0)
  await parts.stop(ending)
  expect(noted).toEqual(["begin early", "stop last", "end early", "stop first"])
})

test("a stop that exceeds its limit is reported, and the next part stops", async () => {
  const {parts, part, noted} = makeParts()
  parts.add(part("next"))
  parts.add(part("slow", {stop: () => new Promise(() => {}), limit: 10, late: "slow is late"}))
  parts.add(part("quiet", {stop: () => new Promise(() => {}), limit: 10}))
  await parts.stop(ending)
  expect(noted).toEqual([expect.stringMatching(/^debug: quiet .*\b10 ms$/), "warn: slow is late", "stop next"])
})

test("the limits of all stops have a common limit, and a part without a limit is awaited", async () => {
  const {parts, part, noted} = makeParts()
  parts.add({
    name: "last",
    stop: async () => {
      await sleep(20)
      noted.push("last has stopped")
    },
  })
  for (const name of ["a", "b", "c"]) {
    parts.add(part(name, {stop: () => new Promise(() => {}), limit: 60_000, late: `${name} is late`}))
  }
  const before = performance.now()
  await parts.stop(ending, 30)
  expect(performance.now() - before).toBeLessThan(30_000)
  expect(noted).toEqual(["warn: c is late", "warn: b is late", "warn: a is late", "last has stopped"])
})

test("a stop that fails is logged, and the next part stops", async () => {
  const {parts, part, noted} = makeParts()
  parts.add(part("next"))
  const fails = () => {
    throw new Error("broken")
  }
  parts.add(part("bad", {stop: fails, early: true}))
  parts.add(part("worse", {stop: () => Promise.reject(new Error("gone")), limit: 1000}))
  await parts.stop(ending)
  expect(noted).toEqual([
    expect.stringMatching(/^error: bad .*: broken$/),
    expect.stringMatching(/^error: worse .*: gone$/),
    "stop next",
  ])
})

test("stopping twice stops once", async () => {
  const {parts, part, noted} = makeParts()
  parts.add(part("a"))
  await Promise.all([parts.stop(ending), parts.stop(ending)])
  expect(noted).toEqual(["stop a"])
})

test("every caller learns that a signal ended the start", () => {
  const starting = new AbortController()
  const {parts} = makeParts(starting.signal)
  parts.requireRunning()
  starting.abort()
  expect(() => parts.requireRunning()).toThrowError(expect.objectContaining({code: "stopping"}))
})
