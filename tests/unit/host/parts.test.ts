import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {Parts} from "../../../server/host/open/parts.ts"
import type {Part} from "../../../server/runtime/part.ts"
import {exit} from "../../../shared/exit.ts"
import type {Log} from "../../../shared/log.ts"

const ending = {code: exit.ok, reason: "the test ended"}

/** Parts that record their starts and stops, and the log lines about them. */
const makeParts = (signal = new AbortController().signal) => {
  const noted: string[] = []
  const note = (level: string) => (message: string) => void noted.push(`${level}: ${message}`)
  const log = {debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error")} as unknown as Log
  const parts = new Parts(log, signal)
  const part = (name: string, more: Partial<Part> = {}): Part => ({
    name,
    start: () => void noted.push(`start ${name}`),
    close: () => void noted.push(`close ${name}`),
    ...more,
  })
  return {parts, part, noted}
}

const never = () => new Promise(() => {})

test("parts start in order and close in reverse, those that were opened before the list last", async () => {
  const {parts, part, noted} = makeParts()
  parts.add(part("a"))
  await parts.startAll([part("b"), part("c")])
  await parts.stop(ending)
  expect(noted.filter(line => !line.startsWith("debug"))).toEqual([
    "start b",
    "start c",
    "close c",
    "close b",
    "close a",
  ])
})

test("the close of an opened part receives the result of its start", async () => {
  const {parts} = makeParts()
  const closed: unknown[] = []
  const part = await parts.open({
    name: "lock",
    start: async () => 7,
    close: (exit, opened) => closed.push([exit, opened]),
  })
  await parts.stop(ending)
  expect(part).toBe(7)
  expect(closed).toEqual([[ending, 7]])
})

test("a start that fails closes the parts before it, but not itself, and leaves out the later ones", async () => {
  const {parts, part, noted} = makeParts()
  const fails = () => {
    throw new Error("no")
  }
  const list = [part("a"), {name: "only closes", close: () => void noted.push("close")}, part("b", {start: fails})]
  await expect(parts.startAll([...list, part("c")])).rejects.toThrow("no")
  await parts.stop(ending)
  expect(noted).toEqual(["debug: starting a", "start a", "debug: starting b", "close", "close a"])
})

test("all stop taking work at once, the last first, then they drain, then they close one by one", async () => {
  const {parts, part, noted} = makeParts()
  const drained = Promise.withResolvers<void>()
  const all = (name: string) =>
    part(name, {
      // A part that stops slowly does not hold up the drains.
      stopTaking: async () => {
        noted.push(`stop taking ${name}`)
        await drained.promise
        if (name === "b") await sleep(1)
        noted.push(`takes nothing: ${name}`)
      },
      drain: async () => {
        noted.push(`drain ${name}`)
        await sleep(1)
        noted.push(`drained ${name}`)
        if (name === "a") drained.resolve()
      },
    })
  await parts.startAll([all("a"), all("b")])
  noted.splice(0)
  await parts.stop(ending)
  expect(noted).toEqual([
    "stop taking b",
    "stop taking a",
    "drain b",
    "drain a",
    "drained b",
    "drained a",
    "takes nothing: a",
    "takes nothing: b",
    "close b",
    "close a",
  ])
})

test("a part can drain after the parts that came after it", async () => {
  const {parts, part, noted} = makeParts()
  const outbox = part("outbox", {drain: async later => void noted.push(`outbox after ${await later}`)})
  const inbox = part("inbox", {
    drain: async () => {
      await sleep(10)
      noted.push("inbox")
    },
  })
  await parts.startAll([outbox, inbox])
  noted.splice(0)
  await parts.stop(ending)
  expect(noted.slice(0, 2)).toEqual(["inbox", expect.stringMatching(/^outbox/)])
})

test("a close that exceeds its limit is reported, and the next part closes", async () => {
  const {parts, part, noted} = makeParts()
  parts.add(part("next"))
  parts.add(part("slow", {close: never, limit: 10, late: "slow is late"}))
  parts.add(part("quiet", {close: never, limit: 10}))
  parts.add(part("still taking", {stopTaking: never, limit: 10, late: "still taking is late"}))
  await parts.stop(ending)
  expect(noted).toEqual([
    "warn: still taking is late",
    expect.stringMatching(/^debug: quiet .*\b10 ms$/),
    "warn: slow is late",
    "close next",
  ])
})

test("the limits of all parts have a common limit, and a part without a limit is awaited", async () => {
  const {parts, part, noted} = makeParts()
  parts.add({
    name: "last",
    close: async () => {
      await sleep(20)
      noted.push("last has closed")
    },
  })
  for (const name of ["a", "b", "c"]) {
    parts.add(part(name, {close: never, limit: 60_000, late: `${name} is late`}))
  }
  const before = performance.now()
  await parts.stop(ending, 30)
  expect(performance.now() - before).toBeLessThan(30_000)
  expect(noted).toEqual(["warn: c is late", "warn: b is late", "warn: a is late", "last has closed"])
})

test("a phase that fails is logged, and the next part closes", async () => {
  const {parts, part, noted} = makeParts()
  parts.add(part("next"))
  const fails = () => {
    throw new Error("broken")
  }
  parts.add(part("bad", {stopTaking: fails}))
  parts.add(part("worse", {drain: () => Promise.reject(new Error("gone")), close: fails, limit: 1000}))
  await parts.stop(ending)
  expect(noted).toEqual([
    expect.stringMatching(/^error: bad .*: broken$/),
    expect.stringMatching(/^error: worse .*: gone$/),
    expect.stringMatching(/^error: worse .*: broken$/),
    "close bad",
    "close next",
  ])
})

test("stopping twice stops once", async () => {
  const {parts, part, noted} = makeParts()
  parts.add(part("a"))
  await Promise.all([parts.stop(ending), parts.stop(ending)])
  expect(noted).toEqual(["close a"])
})

test("the Host is quiet once every part is, and settled once work that others began has ended too", async () => {
  const {parts, part} = makeParts()
  let isBusy = false
  parts.add(
    part("a", {
      idle: () => {
        isBusy = false
      },
      isIdle: () => !isBusy,
    }),
  )
  parts.add(part("b", {idle: () => sleep(1).then(() => {})}))
  expect(parts.isIdle()).toBe(true)
  isBusy = true
  expect(parts.isIdle()).toBe(false)
  await parts.idle()
  expect(parts.isIdle()).toBe(true)
})

test("the routes of the Host are those of its parts, also before they have started", async () => {
  const {parts, part} = makeParts()
  const route = (path: string) => ({method: "GET", path, permission: "none", handle: () => new Response()}) as never
  parts.add(part("a", {routes: async () => [route("/a")]}))
  const started = parts.startAll([part("b", {start: never, routes: async () => [route("/b"), route("/c")]})])
  expect((await parts.routes()).map(({path}) => path)).toEqual(["/a", "/b", "/c"])
  void started
})

test("every caller learns that a signal ended the start", () => {
  const starting = new AbortController()
  const {parts} = makeParts(starting.signal)
  parts.requireRunning()
  starting.abort()
  expect(() => parts.requireRunning()).toThrowError(expect.objectContaining({code: "stopping"}))
})
