import {expect, onTestFinished, test} from "vitest"
import type {Dispatch} from "../../../../server/adapters/discord/gateway/gateway.ts"
import {Intake} from "../../../../server/adapters/discord/gateway/intake.ts"
import type {Session} from "../../../../server/adapters/discord/gateway/session.ts"
import {Problem} from "../../../../shared/problems.ts"
import type {Endpoint, ReceiveOptions} from "../../../../shared/sdk/adapter/adapter.ts"
import type {Incoming} from "../../../../shared/sdk/adapter/incoming.ts"
import {log, until} from "../../../support/database/databases.ts"

const session: Session = {
  id: "s1",
  sequence: 10,
  url: "wss://gateway.discord.gg",
  since: 1,
  user: {id: "999"},
  application: "999",
  account: "a",
}

/** Records what the Host stores: events, and the sequence of the cursor stored with them. */
const begin = async (refuse: (ids: readonly string[]) => Problem | undefined = () => undefined) => {
  const stored: (readonly [ids: string, sequence: number])[] = []
  const lost: string[] = []
  const acknowledged: number[] = []
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const receive = async (events: readonly Incoming[], {cursor = "{}"}: ReceiveOptions = {}) => {
    const ids = events.map(({id}) => id)
    const problem = refuse(ids)
    if (problem !== undefined) throw problem
    stored.push([ids.join(" "), JSON.parse(cursor).sequence])
    return []
  }
  const undos: (() => unknown)[] = []
  onTestFinished(() => {
    for (const undo of undos) undo()
  })
  const endpoint = {
    name: "discord~one",
    cursor: undefined,
    log,
    signal: ended.signal,
    receive,
    defer: (undo: () => unknown) => void undos.push(undo),
    lost: (error: Error) => void lost.push(error.message),
  } as unknown as Endpoint
  const intake = new Intake({
    endpoint,
    translate: ({name, sequence}) => ({
      events: name === "OTHER" ? [] : [{id: name, type: "message-created"}],
      stored: () => acknowledged.push(sequence),
    }),
  })
  const push = (...names: readonly string[]) => {
    for (const name of names) intake.push({name, sequence: ++last, data: {}, at: performance.now()} satisfies Dispatch)
  }
  let last = session.sequence
  return {intake, push, stored, lost, acknowledged}
}

test("the intake stores earlier events in one batch with the next position, and then acknowledges", async () => {
  const {intake, push, stored, acknowledged} = await begin()
  push("a", "OTHER", "b")
  expect(stored).toEqual([])
  await intake.begin(session, false)
  await intake.drained()
  expect(stored).toEqual([["a b", 13]])
  expect(acknowledged).toEqual([11, 12, 13])
  expect(intake.oldest).toBe(Number.POSITIVE_INFINITY)
})

test("the intake stores the position of a new session at once", async () => {
  const {intake, stored} = await begin()
  await intake.begin(session, true)
  expect(stored).toEqual([["", 10]])
})

test("a new session's position is stored before its events, even if the database fails at first", async () => {
  let failures = 2
  const {intake, push, stored} = await begin(() => (failures-- > 0 ? new Problem("database_busy", "busy") : undefined))
  push("OTHER", "a")
  await intake.begin(session, true)
  await until("all events", () => intake.oldest === Number.POSITIVE_INFINITY)
  expect(stored).toEqual([
    ["", 10],
    ["a", 12],
  ])
})

test("the intake leaves an invalid event out, and stores the others of its batch", async () => {
  const invalid = new Problem("event_invalid", "the event is not valid")
  const {intake, push, stored, acknowledged} = await begin(ids => (ids.includes("bad") ? invalid : undefined))
  push("a", "bad", "b", "bad")
  await intake.begin(session, false)
  await until("all events", () => intake.oldest === Number.POSITIVE_INFINITY)
  expect(stored).toEqual([
    ["a", 11],
    ["b", 13],
  ])
  expect(acknowledged).toEqual([11, 13])
  push("c")
  await until("the next event", () => stored.length === 3)
  expect(stored[2]).toEqual(["c", 15])
})

test("the intake retries in the same order when the database fails", async () => {
  let failures = 2
  const busy = new Problem("database_busy", "no database")
  const {intake, push, stored} = await begin(() => (failures-- > 0 ? busy : undefined))
  push("a", "b")
  await intake.begin(session, false)
  push("c")
  await until("all events", () => intake.oldest === Number.POSITIVE_INFINITY)
  expect(stored.map(([ids]) => ids).join(" ")).toBe("a b c")
})

test("the intake stores nothing once the endpoint's admission is closed", async () => {
  let asked = 0
  const closed = new Problem("admission_closed", "closed")
  const {intake, push, acknowledged} = await begin(() => {
    asked++
    return closed
  })
  push("a")
  await intake.begin(session, false)
  await intake.drained()
  push("b")
  await intake.drained()
  expect({asked, acknowledged}).toEqual({asked: 1, acknowledged: []})
})

test("the intake yields to others between the batches of a flood", async () => {
  const order: string[] = []
  const {intake, push} = await begin(ids => {
    order.push(`batch of ${ids.length}`)
    setTimeout(() => order.push("another"))
    return undefined
  })
  push(...Array.from({length: 50}, (_, n) => `e${n}`))
  await intake.begin(session, false)
  await intake.drained()
  expect(order.slice(0, 5)).toEqual(["batch of 20", "another", "batch of 20", "another", "batch of 10"])
})

test("the intake stores 5000 events of a flood and their position, and then drops the connection", async () => {
  const {intake, push, stored, lost} = await begin()
  push(...Array.from({length: 6000}, (_, n) => `e${n}`))
  expect(intake.oldest).toBeLessThan(Number.POSITIVE_INFINITY)
  await intake.begin(session, false)
  await until("the connection to be dropped", () => lost.length > 0)
  expect(lost).toEqual([expect.stringMatching(/\b5000\b/)])
  expect(stored.flatMap(([ids]) => ids.split(" "))).toEqual(Array.from({length: 5000}, (_, n) => `e${n}`))
  expect(stored.at(-1)?.[1]).toBe(session.sequence + 5000)
  // Events without room count as not stored until the next connection delivers them.
  expect(intake.oldest).toBeLessThan(Number.POSITIVE_INFINITY)
  await expect(intake.drained()).rejects.toThrow("more than 5000 events")
  push("late")
  expect(stored.at(-1)?.[1]).toBe(session.sequence + 5000)
})

test("the intake stores the position after a flood without storable events", async () => {
  const {intake, push, stored, lost} = await begin()
  push(...Array.from({length: 5001}, () => "OTHER"))
  await intake.begin(session, false)
  await until("the connection to be dropped", () => lost.length > 0)
  expect(stored).toEqual([["", session.sequence + 5000]])
})
