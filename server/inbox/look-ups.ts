import {fromJson} from "../../shared/json.ts"
import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import type {Database, Reader, Row, Statement} from "../database/database.ts"
import {numberIn, readCell, readNumber} from "../database/engine/cells.ts"
import {type Counted, type Depth, mostLookedUp, oldestIn, readDepth} from "../outbox/depths.ts"
import {selectLastSent} from "../outbox/look-ups.ts"

/** SQL: true if a handler of an event may run again. */
export const mayRunAgain = (seq: string, handler: string): string => `EXISTS (SELECT 1 FROM inbox_marks m
  WHERE m.seq = ${seq} AND m.handler = ${handler} AND m.state NOT IN ('handled', 'discarded', 'expired'))`

/** SQL for the number of the newest event, and for the number of events. */
export const newestEvent = "(SELECT coalesce(max(seq), 0) FROM inbox)"
export const eventCount = "(SELECT count(*) FROM inbox)"

/** How many of the newest rows show what a killed run did not store. */
const looked = 5000

const selectLast = `SELECT endpoint, max(at) AS event, NULL AS sent FROM
    (SELECT endpoint, received_at AS at, type FROM inbox ORDER BY seq DESC LIMIT ${looked}) WHERE type <> 'timer' GROUP BY 1
  UNION ALL SELECT endpoint, NULL, sent FROM (${selectLastSent(looked)})`

/** Returns the times of the last `event` and of the last `sent` message of each endpoint, as far as the newest rows show. */
export const readLastTimes = (database: Reader): Promise<readonly Row[]> => database.read(selectLast)

/** Returns the number of the newest event, including deleted ones. */
export const readHead = (database: Reader): Promise<number> =>
  readNumber(database, `SELECT max(${newestEvent}, coalesce((SELECT max(seq) FROM inbox_keys), 0)) AS n`)

/** Returns the number of the newest deleted event after this one; undefined if none is missing. */
export const readLastDeleted = async (database: Reader, after: number): Promise<number | undefined> =>
  numberIn(await readCell(database, "SELECT max(seq) AS n FROM inbox_keys WHERE seq > ?", [after]))

/** Returns the number of the event that this many events follow; -1 if there are fewer. */
export const readNumberBefore = async (database: Reader, newest: number): Promise<number> =>
  Number((await readCell(database, "SELECT seq FROM inbox ORDER BY seq DESC LIMIT 1 OFFSET ?", [newest])) ?? -1)

/** Returns the next events after a number, in order: `seq`, `endpoint` and `event`. */
export const readEvents = (database: Reader, after: number, most: number): Promise<readonly Row[]> =>
  database.read("SELECT seq, endpoint, event FROM inbox WHERE seq > ? ORDER BY seq LIMIT ?", [after, most])

/** A received event with its number. */
export interface Received {
  readonly seq: number
  readonly event: SatoriEvent
}

export const readReceived = (database: Reader, endpoint: string, seq: number): Promise<Received | undefined> =>
  readOne(database, "inbox WHERE seq = ? AND endpoint = ?", [seq, endpoint])

export const readById = (database: Reader, endpoint: string, id: string): Promise<Received | undefined> =>
  readOne(database, "inbox WHERE endpoint = ? AND event_id = ?", [endpoint, id])

/** How many of the newest events `findNewest` searches. */
export const searchedEvents = 10_000

const conditions = {
  conversation: "conversation = ?",
  endpoint: "endpoint = ?",
  user: "event ->> '$.user.id' = ?",
  guild: "event ->> '$.guild.id' = ?",
  channel: "event ->> '$.channel.id' = ?",
  channelType: "event ->> '$.channel.type' = ?",
  type: "event ->> '$.type' = ?",
  message: "event ->> '$.message.id' = ?",
} as const

/** Returns the newest event that has these values, among the newest events. */
export const findNewest = (
  database: Reader,
  wanted: Partial<Readonly<Record<keyof typeof conditions, string | number>>>,
): Promise<Received | undefined> => {
  const names = Object.keys(wanted) as (keyof typeof conditions)[]
  const newest = `SELECT seq, endpoint, conversation, event FROM inbox ORDER BY seq DESC LIMIT ${searchedEvents}`
  const where = names.map(name => conditions[name]).join(" AND ")
  return readOne(database, `(${newest}) WHERE ${where} LIMIT 1`, Object.values(wanted))
}

const readOne = async (database: Reader, from: string, args: NonNullable<Statement["args"]>) => {
  const [row] = await database.read(`SELECT seq, event FROM ${from}`, args)
  // The inbox stored it in this form.
  return row && {seq: Number(row.seq), event: fromJson(String(row.event)) as SatoriEvent}
}

/** Returns the handlers that have not succeeded, by a condition on the mark `m` and the event `i`. */
export const readUnhandled = (database: Reader, where: string, args: Statement["args"] = []): Promise<readonly Row[]> =>
  database.read(
    `SELECT m.seq, m.handler, m.state, m.attempt, m.failures, m.started_at, m.ended_at, m.error, i.endpoint, i.event, i.received_at
      FROM inbox_marks m JOIN inbox i USING (seq) WHERE m.state NOT IN ('handled', 'expired') AND ${where} ORDER BY m.seq, m.handler`,
    args,
  )

const marks: Counted = {table: "inbox_marks", states: ["pending", "running", "failed", "dead", "held", "expired"]}

const oldestEvents = `SELECT endpoint, min(received_at) AS value FROM inbox WHERE seq IN (
    ${oldestIn(marks.table, "seq", "pending")} UNION ALL ${oldestIn(marks.table, "seq", "running")}
  ) GROUP BY endpoint`

const deadHandlers = `SELECT inbox.endpoint, count(*) AS value FROM (
    SELECT seq FROM inbox_marks WHERE state = 'dead'
    ORDER BY seq DESC LIMIT ${mostLookedUp}
  ) AS dead CROSS JOIN inbox ON inbox.seq = dead.seq GROUP BY inbox.endpoint`

/** Counts unfinished handlers. The ages are of the oldest events with an open one, among 2000 of each state. */
export const readInboxDepth = (database: Database): Promise<Depth> =>
  readDepth(database, marks, oldestEvents, deadHandlers)
