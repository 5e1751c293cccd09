import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {readRuns, recordStart} from "../../../server/database/state/runs.ts"
import {GapCounts} from "../../../server/endpoints/gaps/gap-counts.ts"
import {aDay, countOf, retentionOf, storeEvents} from "../../support/capacity/retention.ts"
import {engines, localDatabase, open} from "../../support/database/databases.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

const now = Date.parse("2027-03-01T00:00:00Z")
const ago = (days: number) => now - days * aDay

const droppedOf = async (database: Database) =>
  Object.fromEntries(
    (await database.read("SELECT part || ' ' || detail AS name, rows FROM retention_dropped ORDER BY 1")).map(
      ({name, rows}) => [String(name).trim(), Number(rows)],
    ),
  )

describe.each(engines)("on $name", ({make}) => {
  test("old finished rows are deleted and counted; recent rows stay", async () => {
    const database = await open(await make())
    await storeEvents(database, {count: 250, from: ago(40), apart: 1000})
    await storeEvents(database, {count: 50, from: ago(20), apart: 1000})
    expect(await retentionOf(database).sweep(now)).toEqual({handled: 250, sent: 250})
    expect(await countOf(database, "inbox")).toBe(50)
    expect(await countOf(database, "inbox_marks")).toBe(50)
    expect(await countOf(database, "outbox")).toBe(50)
    expect(await droppedOf(database)).toEqual({handled: 250, sent: 250})
    expect(await retentionOf(database).sweep(now)).toEqual({})
  })

  test("an event redelivered after its row was deleted is a duplicate with its old number", async () => {
    const database = await open(await make())
    const {receive} = await startInbox(database)
    const first = await receive(incoming("twice"))
    await retentionOf(database).sweep(Date.now() + 40 * aDay)
    expect(await countOf(database, "inbox")).toBe(0)
    const again = await receive(incoming("twice"))
    expect(again).toEqual({sn: first.sn, duplicate: true, dropped: false})
    expect(await countOf(database, "inbox")).toBe(0)
    await retentionOf(database).sweep(Date.now() + 131 * aDay)
    const late = await receive(incoming("twice"))
    expect(late).toEqual({sn: first.sn + 1, duplicate: false, dropped: false})
  })
})

describe("the content of events that no handler wanted", () => {
  const event = (words: string) =>
    JSON.stringify({
      type: "message-created",
      timestamp: 5,
      login: {platform: "line"},
      channel: {id: "c", type: 0, name: words},
      message: {id: "m", content: words},
      user: {id: "u", name: words},
    })
  const marks = {
    "no handler": [],
    "middleware that has run": [["root/count/middleware/all", "handled"]],
    "middleware that failed": [["root/count/middleware/all", "failed"]],
    "a listener": [["root/echo/handler/1", "discarded"]],
    "a listener that is to run": [["root/echo/handler/1", "pending"]],
    "a listener that answered": [["root/echo/handler/1", "handled"]],
    "a listener that asked an agent": [["root/agents/handler/chat", "handled"]],
    "a command": [["root/echo/command/greet", "handled"]],
  } as const
  const erasedKinds = ["no handler", "middleware that has run", "a listener"]
  const more: Readonly<Record<string, string>> = {
    "a listener that answered":
      "INSERT INTO outbox (id, kind, endpoint, channel, content, inbox_seq, created_at, ended_at, state) VALUES ('a' || ?1, 'message', 'line', 'c', '[]', ?1, ?2, ?2, 'sent')",
    "a listener that asked an agent":
      "INSERT INTO agent_runs (run_id, agent, cause, place, state, input, created_at, ended_at, inbox_seq) VALUES ('r' || ?1, 'helper', 'chat', '{}', 'succeeded', '{}', ?2, ?2, ?1)",
  }

  const store = async (database: Database, at: number) => {
    for (const [kind, handlers] of Object.entries(marks))
      await database.write([
        {
          sql: "INSERT INTO inbox (endpoint, event_id, conversation, type, received_at, event, raw, content_hash) VALUES ('line', ?, 'line/c', 'message-created', ?, ?, '{}', 'h')",
          args: [`${kind} ${at}`, at, event("words")],
        },
        ...handlers.map(([handler, state]) => ({
          sql: "INSERT INTO inbox_marks (seq, handler, state, started_at, ended_at) VALUES (last_insert_rowid(), ?, ?, 1, 1)",
          args: [handler, state],
        })),
      ])
    for (const [kind, sql] of Object.entries(more)) {
      const [row] = await database.read("SELECT seq FROM inbox WHERE event_id = ?", [`${kind} ${at}`])
      await database.write([{sql, args: [Number(row?.seq), at]}])
    }
  }
  const erasedIn = async (database: Database) =>
    (await database.read("SELECT event_id, event, raw, content_hash FROM inbox ORDER BY seq")).flatMap(
      ({event_id: id, ...content}) => (JSON.stringify(content).includes("words") ? [] : [String(id)]),
    )

  test.each(engines)("is erased after its age on $name, once, and the ids stay", async ({make}) => {
    const database = await open(await make())
    for (const days of [9, 8, 6]) await store(database, ago(days))
    const sweep = async (unhandled: string, reached = Number.POSITIVE_INFINITY, at = now) =>
      (await retentionOf(database, {unhandled}, () => reached).sweep(at)).unhandled ?? 0
    expect(await sweep("0s")).toBe(0)
    expect(await sweep("7d", 8)).toBe(3)
    expect(await sweep("7d")).toBe(3)
    expect(await sweep("7d")).toBe(0)
    expect(await erasedIn(database)).toEqual([9, 8].flatMap(days => erasedKinds.map(kind => `${kind} ${ago(days)}`)))
    expect(await countOf(database, "inbox")).toBe(24)
    const [row] = await database.read("SELECT event FROM inbox WHERE event_id = ?", [`no handler ${ago(9)}`])
    expect(JSON.parse(String(row?.event))).toEqual({
      ...{type: "message-created", timestamp: 5, login: {platform: "line"}, channel: {id: "c", type: 0}},
      ...{message: {id: "m", content: "[redacted]"}, user: {id: "u"}},
    })
    expect(await sweep("7d", Number.POSITIVE_INFINITY, now + 2 * aDay)).toBe(3)
    expect(await droppedOf(database)).toEqual({unhandled: 9})
  })
})

test("a row that has not ended is kept, whatever its age", async () => {
  const database = await open(await localDatabase())
  for (const [index, state] of ["pending", "running"].entries())
    await storeEvents(database, {count: 10, from: ago(1000 - index), apart: 1, state})
  for (const state of ["queued", "sending"])
    await database.write([
      {sql: `UPDATE outbox SET state = '${state}', ended_at = NULL WHERE seq % 2 = ${state === "queued" ? 0 : 1}`},
    ])
  await database.write([
    {
      sql: "INSERT INTO job_runs (run_id, job, cause, state, scheduled_for, created_at) VALUES ('a', 'j', 'cron', 'running', 1, 1), ('b', 'j', 'cron', 'queued', 2, 2)",
    },
    {sql: "INSERT INTO endpoint_gaps (endpoint, from_at, reason) VALUES ('line', 1, 'host_ended')"},
  ])
  expect(await retentionOf(database).sweep(now)).toEqual({})
})

describe("a row that waits for a person", () => {
  test.each(["failed", "dead", "held"])("is kept longer when it is %s, then deleted and reported", async state => {
    const database = await open(await localDatabase())
    await storeEvents(database, {count: 3, from: ago(170), apart: 1, state})
    await database.write([{sql: "UPDATE outbox SET state = 'unknown'"}])
    expect(await retentionOf(database).sweep(now)).toEqual({})
    expect(await retentionOf(database).sweep(now + 20 * aDay)).toEqual({handled: 3, sent: 3})
    expect(await droppedOf(database)).toEqual({"handled undelivered": 3, "sent undelivered": 3})
    const told = await database.read("SELECT data FROM events WHERE type = 'retention.dropped' ORDER BY offset")
    expect(told.map(({data}) => JSON.parse(String(data)))).toEqual([
      {part: "inbox", rows: 3},
      {part: "outbox", rows: 3},
    ])
  })

  test("counts from when it was held, so restoring an old checkpoint deletes nothing at once", async () => {
    const database = await open(await localDatabase())
    await storeEvents(database, {count: 3, from: ago(300), apart: 1, state: "held"})
    await database.write([
      {sql: "UPDATE inbox_marks SET ended_at = ?", args: [ago(1)]},
      {sql: "UPDATE outbox SET state = 'held', ended_at = ?", args: [ago(1)]},
    ])
    expect(await retentionOf(database).sweep(now)).toEqual({})
  })

  test("keeps a failed handler's early sends known, so a retry does not send them twice", async () => {
    const database = await open(await localDatabase())
    await storeEvents(database, {count: 1, from: ago(100), apart: 1, state: "failed"})
    await database.write([
      {sql: "UPDATE outbox SET early = 1, inbox_seq = 1, handler = 'root/echo/handler/1', ordinal = 0"},
    ])
    expect(await retentionOf(database).sweep(now)).toEqual({})
    await database.write([{sql: "UPDATE inbox_marks SET state = 'handled'"}])
    expect(await retentionOf(database).sweep(now)).toEqual({handled: 1, sent: 1})
  })
})

test("events that a connected Satori client has not received stay, and so do the newest", async () => {
  const database = await open(await localDatabase())
  await storeEvents(database, {count: 300, from: ago(100), apart: 1000})
  await retentionOf(database, {}, () => 120).sweep(now)
  expect(await database.read("SELECT min(seq) AS first FROM inbox")).toEqual([expect.objectContaining({first: 121})])
  await retentionOf(database, {handled: {age: "30d", rows: 1_000_000, least: 40}}).sweep(now)
  expect(await countOf(database, "inbox")).toBe(40)
})

test("rows over the limit are deleted oldest first; 0s keeps rows forever", async () => {
  const database = await open(await localDatabase())
  await storeEvents(database, {count: 500, from: ago(5), apart: 1000})
  await retentionOf(database, {handled: {age: "0s", rows: 200, least: 0}, sent: {age: "0s", rows: 150}}).sweep(now)
  expect(await database.read("SELECT min(seq) AS first, count(*) AS n FROM inbox")).toMatchObject([
    {first: 301, n: 200},
  ])
  expect(await countOf(database, "outbox")).toBe(150)
})

/** The counts of the gaps, in the order of reason and plan. */
const gapsIn = async (database: Database) => {
  const {counts, ended} = await new GapCounts(database).read()
  return {
    counts: counts.toSorted((one, other) => one.reason.localeCompare(other.reason)),
    ended: ended
      .map(({endpoint, planned, lengths}) => ({
        endpoint,
        planned,
        count: lengths.count,
        sum: lengths.sum,
        within: lengths.cumulative(),
      }))
      .toSorted((one, other) => Number(one.planned) - Number(other.planned)),
  }
}

test("starts, ends and gaps stay counted after their rows are deleted", async () => {
  const database = await open(await localDatabase())
  const start = (runtimeId: string, startedAt: number) =>
    recordStart(database, {runtimeId, startedAt, mode: "test", version: "1", runtime: "bun"})
  for (let day = 0; day < 150; day++) await start(`run ${day}`, ago(600 - day))
  await database.write([
    {sql: "UPDATE svc_runs SET ended_at = started_at, exit_code = 0 WHERE rowid % 3 = 0"},
    {
      sql: "INSERT INTO endpoint_gaps (endpoint, from_at, to_at, reason) SELECT 'line', started_at, started_at + 1000 * (rowid % 3) * 40, iif(rowid % 2, 'host_ended', 'host_stopped') FROM svc_runs",
    },
  ])
  await start("own", now)
  // Of gaps that were deleted before their lengths were counted, only the number is known.
  await database.write([
    {
      sql: `INSERT INTO retention_dropped (part, detail, rows, last_at) VALUES ('gaps', '["line","host_ended"]', 10, 1)`,
    },
  ])
  const before = {runs: await readRuns(database, "own"), gaps: await gapsIn(database)}
  expect(await retentionOf(database).sweep(now)).toEqual({gaps: 150, runs: 150})
  const after = {runs: await readRuns(database, "own"), gaps: await gapsIn(database)}
  expect(after).toEqual(before)
  expect(after.runs.starts).toBe(151)
  // Gaps of 0, 40 and 80 s.
  const lengths = {count: 75, sum: 3000, within: [25, 25, 25, 50, 75, 75]}
  expect(after.gaps).toEqual({
    counts: [
      {endpoint: "line", reason: "host_ended", count: 85},
      {endpoint: "line", reason: "host_stopped", count: 75},
    ],
    ended: [false, true].map(planned => ({endpoint: "line", planned, ...lengths})),
  })
  expect(await start("next", now + 1)).toMatchObject({earlierStarts: 151})
})
