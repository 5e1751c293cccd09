import {setTimeout as sleep} from "node:timers/promises"
import {Value} from "typebox/value"
import {describe, expect, onTestFinished, test, vi} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {migrations, versionOf} from "../../../server/database/migrations/migrations.ts"
import {recordStart} from "../../../server/database/state/runs.ts"
import {Gaps} from "../../../server/endpoints/gaps/gaps.ts"
import {EventLog, type StoredEvent} from "../../../server/events/log.ts"
import {EventRetention} from "../../../server/events/retention.ts"
import {telling, tellingAll, toRow} from "../../../server/events/telling.ts"
import {GenerationHistory} from "../../../server/generation/history.ts"
import {type EventType, eventTypes, isEventType} from "../../../shared/events/events.ts"
import {engines, log, open, until} from "../../support/database/databases.ts"
import {inboxRow, insert, outboxRow} from "../../support/database/insert.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

const stopping = (reason: string) => telling("host.stopping", {code: 0, reason})

const logOf = async (database: Database): Promise<EventLog> => {
  const events = new EventLog(database, log)
  await events.start()
  return events
}

const all = (events: EventLog): Promise<readonly StoredEvent[]> => events.read(0, 10_000)

const reasonsOf = async (events: EventLog) => (await all(events)).map(({data}) => JSON.parse(data).reason)

/** The event's data as the table of types defines it. */
const expectFit = ({type, data}: StoredEvent): unknown => {
  if (!isEventType(type)) throw new Error(`${type} is not in the table`)
  const value: unknown = JSON.parse(data)
  expect([...Value.Errors(eventTypes[type].data, value)]).toEqual([])
  return value
}

describe.each(engines)("the event log on $name", ({make}) => {
  test("stores an event together with its change, or neither", async () => {
    const database = await open(await make())
    const events = await logOf(database)
    await database.write([
      {sql: "INSERT INTO svc_meta (key, value) VALUES ('a', '1')"},
      telling("ingress.paused", {reason: "operator", reasons: ["operator"]}),
    ])
    const twice = database.write([
      telling("ingress.paused", {reason: "release", reasons: ["operator", "release"]}),
      {sql: "INSERT INTO svc_meta (key, value) VALUES ('a', '2')"},
    ])
    await expect(twice).rejects.toMatchObject({code: "database_refused"})
    expect(await reasonsOf(events)).toEqual(["operator"])
  })

  test("never reuses an offset, even after evicting everything and reopening", async () => {
    const location = await make()
    const first = await open(location)
    const events = await logOf(first)
    await first.write([stopping("a"), stopping("b"), tellingAll([toRow("host.stopping", {code: 0, reason: "c"})])])
    expect((await all(events)).map(({offset}) => offset)).toEqual([1, 2, 3])
    await new EventRetention(first, events, log, () => ({events: 1000, bytes: 1, age: 1e9})).sweep()
    expect(await events.extent()).toEqual({head: 3, evictedTo: 3})
    await first.close()
    const second = await open(location)
    const later = await logOf(second)
    expect(await later.extent()).toEqual({head: 3, evictedTo: 3})
    await second.write([stopping("d")])
    expect((await all(later)).map(({offset}) => offset)).toEqual([4])
  })

  test("stores many events in one statement, in order, with any text", async () => {
    const database = await open(await make())
    const events = await logOf(database)
    const texts = ["\0", "\r\n", "\ud800", "\ufeff", '"\\', "\u2028", "é", "x".repeat(20_000)]
    await database.write([tellingAll(texts.map(reason => toRow("host.stopping", {code: 0, reason}, {}, json => json)))])
    const expected = texts.slice(0, -1).map(text => text.toWellFormed())
    expect(await reasonsOf(events)).toEqual([...expected, `${"x".repeat(1000)}…`])
  })

  test("stamps an event with the run and generation that are current when it is stored", async () => {
    const database = await open(await make())
    const events = await logOf(database)
    const run = {startedAt: 1, mode: "test", version: "1", runtime: "bun"}
    const generations = new GenerationHistory(database)
    const commit = (runtimeId: string) =>
      generations.commit({
        committedAt: Date.now(),
        runtimeId,
        reason: "started",
        config: {file: "", text: "", sha256: ""},
        plugins: {greeter: "1", irc: "2"},
        pin: undefined,
      })
    await recordStart(database, {...run, runtimeId: "one"})
    await database.write([stopping("a")])
    await commit("one")
    await database.write([stopping("b")])
    await recordStart(database, {...run, runtimeId: "two"})
    await commit("two")
    const found = await all(events)
    expect(found.map(({type, runtimeId, generation}) => [type, runtimeId, generation])).toEqual([
      ["host.stopping", "one", 0],
      ["generation.committed", "one", 1],
      ["host.stopping", "one", 1],
      ["generation.committed", "two", 2],
    ])
    expect(found.map(expectFit)[1]).toEqual({number: 1, reason: "started", plugins: ["greeter", "irc"]})
  })

  test("reports what happens to messages from the rows themselves, without their text", async () => {
    const database = await open(await make())
    const events = await logOf(database)
    const content = ["very private"]
    const draft = {id: "m1", kind: "message", endpoint: "line~one", channel: "c", content} as const
    const {inbox, outbox, receive} = await startInbox(
      database,
      {
        match: () => ["bad", "good"],
        run: async (_, handler) => (handler === "bad" ? {is: "failed", error: "why"} : {is: "handled", sends: [draft]}),
      },
      {spec: {name: "line~one", fingerprint: "1"}},
    )
    for (const _ of [1, 2]) await receive(incoming("e1", {message: {id: "e1", content: "very private"}}))
    await until("the handlers to end", async () => (await all(events)).length === 3)
    await inbox.act("discard", {seq: 1, handler: "bad"})
    await outbox.start({sender: () => ({send: async () => ({ids: ["p"]})}), policy: () => undefined})
    await until("the answer to be sent", async () => (await all(events)).length === 5)
    await database.write([
      {sql: "UPDATE outbox SET state = 'unknown', reason = 'host_ended', error = 'x'"},
      {sql: "UPDATE outbox SET state = 'held'"},
      {sql: "UPDATE outbox SET state = 'dead'"},
      {sql: "UPDATE outbox SET state = 'dead'"},
      {sql: "UPDATE inbox_marks SET state = 'held'"},
    ])
    const found = await all(events)
    for (const event of found) expectFit(event)
    expect(found.map(({type}) => type).sort()).toEqual(
      `message.received message.failed message.handled message.discarded message.sent message.unknown
        message.send_held message.send_dead message.held message.held`
        .split(/\s+/)
        .sort(),
    )
    expect(found.every(each => each.endpoint === "line~one")).toBe(true)
    expect(JSON.stringify(found)).not.toContain("very private")
    const failed = found.find(({type}) => type === "message.failed")
    expect(JSON.parse(failed?.data ?? "")).toEqual({sn: 1, handler: "bad", attempt: 1, error: "why"})
  })

  test("reports messages and runs that were rejected or cancelled", async () => {
    const database = await open(await make())
    const events = await logOf(database)
    await database.write([
      inboxRow(),
      {sql: "INSERT INTO inbox_marks (seq, handler, state) VALUES (1, 'bad', 'pending')"},
      {sql: "UPDATE inbox_marks SET state = 'dead', attempt = 3, error = 'why'"},
      outboxRow("m1"),
      {sql: "UPDATE outbox SET state = 'failed', error = 'no such channel'"},
      {sql: "UPDATE outbox SET state = 'discarded'"},
      insert("job_runs", {
        run_id: "r1",
        job: "tidy",
        cause: "manual",
        state: "queued",
        scheduled_for: 1,
        created_at: 1,
      }),
      {sql: "UPDATE job_runs SET state = 'cancelled', reason = 'requested'"},
    ])
    const found = await all(events)
    for (const event of found) expectFit(event)
    expect(found.map(({type}) => type)).toEqual([
      "message.received",
      "message.dead",
      "message.send_failed",
      "message.send_discarded",
      "job.cancelled",
    ])
  })

  test("reports an endpoint's gap when it ends, with start and end", async () => {
    const database = await open(await make())
    const events = await logOf(database)
    await database.write([
      {sql: "INSERT INTO endpoint_gaps (endpoint, from_at, reason) VALUES ('line', 1700000000123, 'host_ended')"},
    ])
    const gaps = new Gaps(database, log)
    const {endpoint} = await startInbox(database, {}, {spec: {open: async () => ({send: async () => ({ids: []})})}})
    endpoint.open()
    await until("the endpoint to be online", () => endpoint.state.is === "online")
    gaps.observe(endpoint, 1_700_003_601_001)
    const [gap] = await until("the event", async () => (await all(events)).length > 0 && all(events))
    await gaps.stop()
    expect(gap).toMatchObject({type: "endpoint.gap", endpoint: "line"})
    expect(gap && expectFit(gap)).toEqual({
      from: "2023-11-14T22:13:20.123Z",
      to: "2023-11-14T23:13:21.001Z",
      reason: "host_ended",
      planned: false,
      backfill: null,
    })
  })

  test("reports the gap of a planned stop as planned, also after an older svc", async () => {
    const location = await make()
    const older = await open(location, {known: migrations.slice(0, versionOf("planned-gaps") - 1)})
    await older.write([
      {sql: "INSERT INTO endpoint_gaps (endpoint, from_at, reason) VALUES ('line', 1700000000123, 'host_stopped')"},
    ])
    await older.close()
    const database = await open(location)
    const events = await logOf(database)
    await database.write([{sql: "UPDATE endpoint_gaps SET to_at = from_at + 1000"}])
    const [gap] = await all(events)
    expect(gap && expectFit(gap)).toMatchObject({reason: "host_stopped", planned: true})
  })

  test("stores events raised beside any change in order, without blocking", async () => {
    const events = await logOf(await open(await make()))
    for (let n = 0; n < 500; n++) events.raise("host.stopping", {code: n, reason: ""}, {endpoint: `e${n}`})
    await events.idle()
    expect((await all(events)).map(({endpoint}) => endpoint)).toEqual(Array.from({length: 500}, (_, n) => `e${n}`))
    expect(events.dropped).toBe(0)
  })
})

describe.each(engines)("retention on $name", ({make}) => {
  const filled = async (count: number) => {
    const database = await open(await make())
    const events = await logOf(database)
    const rows = Array.from({length: count}, (_, n) =>
      toRow("host.stopping", {code: n, reason: "x".repeat(100)}, {at: n}),
    )
    await database.write([tellingAll(rows)])
    const sweep = (limits: {events?: number; bytes?: number; age?: number}, now = count) =>
      new EventRetention(database, events, log, () => ({events: 1e9, bytes: 1e12, age: 1e12, ...limits})).sweep(now)
    const kept = async () => {
      const [row] = await database.read(
        "SELECT count(*) AS n, min(offset) AS oldest, sum(length(data) + 100) AS bytes FROM events",
      )
      return {n: Number(row?.n), oldest: Number(row?.oldest), bytes: Number(row?.bytes)}
    }
    return {database, events, sweep, kept}
  }

  test("keeps the newest events up to the count", async () => {
    const {events, sweep, kept} = await filled(10_000)
    await sweep({events: 1234})
    expect(await kept()).toMatchObject({n: 1234, oldest: 8767})
    expect(await events.extent()).toEqual({head: 10_000, evictedTo: 8766})
  })

  test("keeps at most the byte limit, and not much less", async () => {
    const {database, sweep, kept} = await filled(10_000)
    await sweep({bytes: 500_000})
    expect((await kept()).bytes).toBeLessThanOrEqual(500_000)
    expect((await kept()).bytes).toBeGreaterThan(450_000)
    await database.write([tellingAll([toRow("host.stopping", {code: 1, reason: "y".repeat(2000)})])])
    await sweep({bytes: 450_000})
    expect((await kept()).bytes).toBeLessThanOrEqual(450_000)
    expect((await kept()).bytes).toBeGreaterThan(400_000)
  })

  test("keeps no event that is older than the limit", async () => {
    const {sweep, kept} = await filled(10_000)
    await sweep({age: 300}, 10_000)
    expect(await kept()).toMatchObject({n: 300, oldest: 9701})
    await sweep({age: 300}, 1e9)
    expect(await kept()).toMatchObject({n: 0})
  })

  test("looks at the log only after something was stored", async () => {
    const {database, events} = await filled(10)
    vi.useFakeTimers({toFake: ["setInterval", "clearInterval", "performance"]})
    let sweeps = 0
    const retention = new EventRetention(database, events, log, () => {
      sweeps++
      return {events: 1e9, bytes: 1e12, age: 1e13}
    })
    onTestFinished(async () => {
      await retention.stop()
      vi.useRealTimers()
    })
    retention.start()
    const pass = async (expected: number) => {
      for (let second = 0; second < 4; second++) {
        vi.advanceTimersByTime(1000)
        await until("the sweep", () => sweeps >= expected)
        await sleep(20)
      }
      return sweeps
    }
    expect(await pass(1)).toBe(1)
    await database.write([stopping("later")])
    expect(await pass(2)).toBe(2)
  })
})

test("every type has a summary, and an object as data", () => {
  for (const type of Object.keys(eventTypes) as EventType[]) {
    expect(type).toMatch(/^[a-z]+\.[a-z_]+$/)
    expect(eventTypes[type].summary.length).toBeGreaterThan(10)
    expect(eventTypes[type].data.type).toBe("object")
  }
})
