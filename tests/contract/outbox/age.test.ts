import {setImmediate as turn} from "node:timers/promises"
import {describe, expect, onTestFinished, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {noPolicy, type Policy} from "../../../server/endpoints/policy.ts"
import {moveBackWaits} from "../../../server/inbox/upkeep/set-back.ts"
import {readOutboxDepth} from "../../../server/outbox/depths.ts"
import type {OutboxDraft} from "../../../server/outbox/draft.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {engines, localDatabase, log, open, readLines, until} from "../../support/database/databases.ts"
import {outboxRow} from "../../support/database/insert.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"

const start = "2026-03-01T12:00:00Z"
const minute = 60_000

interface Opening {
  readonly database: Database
  readonly policy?: Policy
  readonly isOnline?: boolean
  /** The time limit of an attempt, in milliseconds. */
  readonly limit?: number
}

/** An endpoint that the test connects, with an outbox at the time of the test. */
const openOutbox = async (
  {database, policy = noPolicy, isOnline = false, limit = 30_000}: Opening,
  clock = new HandClock(start, 60 * minute),
) => {
  const outbox = new Outbox(database, log, {clock, timing: {retry: {first: 1, longest: 1}, limit, mostAttempts: 3}})
  const sent: string[] = []
  const endpoint = {isOnline, policy, answers: true}
  const sender = {
    send: async ({id}: {id: string}) => {
      sent.push(id)
      return endpoint.answers ? {ids: [id]} : new Promise<never>(() => {})
    },
  }
  await outbox.start({sender: () => (endpoint.isOnline ? sender : undefined), policy: () => endpoint.policy})
  onTestFinished(() => outbox.drain())
  const enqueue = (id: string, limits: Pick<OutboxDraft, "notAfter" | "important"> = {}, channel = "team") =>
    outbox.enqueue({id, kind: "message", endpoint: "line", channel, content: [id], ...limits})
  const connect = () => {
    endpoint.isOnline = true
    outbox.online("line")
  }
  const states = () => readLines(database, "SELECT id, state, reason FROM outbox ORDER BY seq")
  const become = async (...expected: string[]) => {
    await until(`the messages to be ${expected}`, async () => (await states()).join() === expected.join())
  }
  const pass = (milliseconds: number) => clock.passTo(new Date(clock.now() + milliseconds).toISOString(), () => turn())
  return {clock, pass, outbox, sent, endpoint, enqueue, connect, states, become}
}

describe.each(engines)("a message that waited, on $name,", ({make}) => {
  const limited = {...noPolicy, maxAge: 10 * minute}

  test("is sent at any age while its endpoint has no limit", async () => {
    const {pass, enqueue, connect, become} = await openOutbox({database: await open(await make())})
    await enqueue("old")
    await pass(72 * 60 * minute)
    connect()
    await become("old sent")
  })

  test("expires when it is older than its endpoint's limit, and the next one of its channel is sent", async () => {
    const database = await open(await make())
    const {pass, outbox, enqueue, connect, become, sent} = await openOutbox({database, policy: limited})
    await enqueue("a")
    await enqueue("b")
    await pass(11 * minute)
    await enqueue("fresh")
    connect()
    await become("a expired too_old", "b expired too_old", "fresh sent")
    expect(sent).toEqual(["fresh"])
    expect(outbox.ends).toMatchObject({sent: 1, expired: 2})
    const told = await database.read("SELECT data ->> 'message' AS id FROM events WHERE type = 'message.send_expired'")
    expect(told.map(({id}) => id)).toEqual(["a", "b"])
  })

  test("obeys its own limit instead of its endpoint's", async () => {
    const database = await open(await make())
    const {clock, pass, enqueue, connect, become} = await openOutbox({database, policy: limited})
    await enqueue("long", {notAfter: clock.now() + 60 * minute})
    await enqueue("short", {notAfter: clock.now() + minute})
    await pass(30 * minute)
    connect()
    await become("long sent", "short expired too_old")
  })

  test("obeys a limit that was configured while it waited", async () => {
    const {pass, enqueue, connect, become, endpoint} = await openOutbox({database: await open(await make())})
    await enqueue("a")
    await pass(11 * minute)
    endpoint.policy = limited
    connect()
    await become("a expired too_old")
  })

  test("is sent at any age once a person retried it", async () => {
    const database = await open(await make())
    const {clock, pass, outbox, enqueue, connect, become, endpoint} = await openOutbox({database, policy: limited})
    await enqueue("own", {notAfter: clock.now() + minute})
    await enqueue("other")
    await pass(11 * minute)
    connect()
    await become("own expired too_old", "other expired too_old")
    endpoint.isOnline = false
    await outbox.act("retry", {id: "own"})
    await outbox.act("retry", {id: "other"})
    await pass(72 * 60 * minute)
    connect()
    await become("own sent", "other sent")
  })

  test("counts its age from its time if it was scheduled", async () => {
    const database = await open(await make())
    const {clock, pass, outbox, connect, become} = await openOutbox({database, policy: limited})
    const draft = {id: "later", kind: "message", endpoint: "line", channel: "team", content: ["later"]} as const
    await outbox.plan(draft, {plugin: "bot", due: clock.now() + 60 * minute})
    await pass(60 * minute)
    await become("later queued")
    await pass(9 * minute)
    connect()
    await become("later sent")
  })

  test("asks nobody once it may have arrived and its limit has passed", async () => {
    const database = await open(await make())
    const {pass, enqueue, become, endpoint} = await openOutbox({database, policy: limited, isOnline: true, limit: 20})
    endpoint.answers = false
    const sending = enqueue("reply")
    await become("reply sending")
    await sending
    await become("reply unknown timed_out")
    await pass(9 * minute)
    await become("reply unknown timed_out")
    await pass(minute)
    await become("reply expired too_old")
  })
})

test("a message that the Host's end left sending expires at the next start if it is too old", async () => {
  const database = await open(await localDatabase())
  const sending = (id: string, age: number, progress: string | null = null) =>
    outboxRow(id, {channel: id, created_at: Date.parse(start) - age, state: "sending", attempt: 1, progress})
  await database.write([
    sending("old", 11 * minute),
    sending("new", minute),
    sending("partly", 11 * minute, '{"done":1,"of":2}'),
  ])
  const {states} = await openOutbox({database, policy: {...noPolicy, maxAge: 10 * minute}})
  expect(await states()).toEqual(["old expired too_old", "new unknown host_ended", "partly expired too_old"])
  expect(await database.read("SELECT error FROM outbox WHERE id = 'partly'")).toEqual([
    {error: expect.stringContaining("1 of 2")},
  ])
})

test("a message of which parts have arrived is sent to its end at any age", async () => {
  const database = await open(await localDatabase())
  const policy = {...noPolicy, maxAge: 10 * minute, limits: {text: 5}}
  const {pass, outbox, connect, become} = await openOutbox({database, policy})
  await outbox.enqueue({id: "long", kind: "message", endpoint: "line", channel: "team", content: ["one two"]})
  await database.write([
    {
      sql: `UPDATE outbox SET progress = '{"done":1,"of":2,"limit":5,"attempt":1}', platform_ids = '["x"]', attempt = 1`,
    },
  ])
  await pass(11 * minute)
  connect()
  await become("long sent")
})

test("an important message that expired counts until somebody decides", async () => {
  const database = await open(await localDatabase())
  const {clock, pass, outbox, enqueue, connect, become} = await openOutbox({database})
  const missed = async () => (await readOutboxDepth(database)).missed
  await enqueue("alarm", {notAfter: clock.now() + minute, important: true})
  await enqueue("chat", {notAfter: clock.now() + minute})
  await pass(2 * minute)
  connect()
  await become("alarm expired too_old", "chat expired too_old")
  expect(await missed()).toBe(1)
  await outbox.act("discard", {id: "alarm"})
  expect(await missed()).toBe(0)
})

test("a message that was written while the clock was ahead does not wait longer for its limit", async () => {
  const database = await open(await localDatabase())
  const ahead = new HandClock("2026-03-02T12:00:00Z", 60 * minute)
  const before = await openOutbox({database, policy: {...noPolicy, maxAge: 10 * minute}}, ahead)
  await before.enqueue("a")
  await before.outbox.drain()
  const clock = new HandClock(start, 60 * minute)
  await moveBackWaits(database, log, clock.now())
  const {pass, connect, become} = await openOutbox({database, policy: {...noPolicy, maxAge: 10 * minute}}, clock)
  await pass(11 * minute)
  connect()
  await become("a expired too_old")
})
