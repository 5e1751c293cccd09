import type {Row, SqlValue, Statement} from "../../shared/sdk/plugin-database.ts"
import type {Database} from "../database/database.ts"
import type {Result} from "../database/engine.ts"
import {Gather} from "../database/gather.ts"
import type {MarkKey} from "../inbox/marks.ts"
import {type End, judgeInterrupted, type Policy, type Timing} from "./delivery.ts"
import type {OutboxDraft} from "./draft.ts"
import type {SendTurn} from "./sends.ts"

/** The messages of one channel, which are sent in order. */
export interface Lane {
  readonly endpoint: string
  readonly channel: string
}

export const keyOf = ({endpoint, channel}: Lane): string => `${endpoint}/${channel}`

export const laneOf = (row: Row): Lane => ({endpoint: String(row.endpoint), channel: String(row.channel)})

/** What is to be sent next in one channel. */
export const readNext = async (database: Database, {endpoint, channel}: Lane): Promise<Row | undefined> => {
  const [row] = await database.read(
    `SELECT seq, id, kind, channel, content, attempt, spared, not_before FROM outbox
     WHERE state = 'queued' AND endpoint = ? AND channel = ? ORDER BY seq LIMIT 1`,
    [endpoint, channel],
  )
  return row
}

/** Returns the row of an attempt that may begin: once, whether or not the database answered the first time. */
export const claiming = (seq: number, attempt: number): Statement => ({
  sql: `UPDATE outbox SET state = 'sending', attempt = ?
    WHERE seq = ? AND (state = 'queued' OR (state = 'sending' AND attempt = ?)) RETURNING seq`,
  args: [attempt, seq, attempt],
})

/** How an attempt ended. */
export interface Finish {
  readonly end: End
  readonly seq: number
  readonly attempt: number
}

const finish = `UPDATE outbox SET state = e ->> 2, platform_ids = e ->> 3, error = e ->> 4, reason = e ->> 5,
    not_before = e ->> 6, spared = spared + (e ->> 7), ended_at = e ->> 8
  FROM (SELECT value AS e FROM json_each(?)) WHERE seq = e ->> 0 AND state = 'sending' AND attempt = e ->> 1`

/** Stores the ends of attempts, many at a time. */
export const gatherFinishes = (database: Database): Gather<Finish, void> =>
  new Gather<Finish, void>(database, {
    statements: finishes => [{sql: finish, args: [JSON.stringify(finishes.map(valuesOf))]}],
    answers: () => () => {},
  })

const valuesOf = ({end, seq, attempt}: Finish): readonly SqlValue[] => {
  const key = [seq, attempt, end.is]
  if (end.is === "sent") return [...key, JSON.stringify(end.ids), null, null, 0, 0, Date.now()]
  if (end.is === "queued") return [...key, null, end.error, null, Date.now() + end.wait, end.counts ? 0 : 1, null]
  return [...key, null, end.error, end.reason, 0, 0, Date.now()]
}

/** A draft on its way into the outbox, with its content as it is stored. */
export interface Departure {
  readonly draft: OutboxDraft
  readonly content: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The turn of its channel: it may be stored as `sending`. */
  readonly turn: SendTurn | undefined
  /** It is stored only while this attempt runs, as the `ordinal`th that it leaves. */
  readonly from?: MarkKey & {readonly ordinal: number}
}

/** How a draft was stored. */
export interface NewRow {
  readonly seq: number
  readonly state: string
}

/** Nothing is sent before what is queued for its channel. */
const insert = `INSERT INTO outbox (id, kind, endpoint, channel, content, created_at, inbox_seq, handler, ordinal, state, attempt)
  SELECT d ->> 0, d ->> 1, d ->> 2, d ->> 3, d ->> 4, d ->> 5, d ->> 6, d ->> 7, d ->> 8, iif(direct, 'sending', 'queued'), direct
  FROM (SELECT value AS d, value ->> 10 AND NOT EXISTS (SELECT 1 FROM outbox o
      WHERE o.state = 'queued' AND o.endpoint = value ->> 2 AND o.channel = value ->> 3) AS direct FROM json_each(?))
  WHERE d ->> 6 IS NULL OR EXISTS (SELECT 1 FROM inbox_marks m
    WHERE m.seq = d ->> 6 AND m.handler = d ->> 7 AND m.state = 'running' AND m.attempt = d ->> 9)
  RETURNING seq, id, state`

/** Stores drafts; returns the rows of those that are stored, for `newRows`. */
export const inserting = (departures: readonly Departure[]): Statement => {
  // The statement does not see what it has stored itself.
  const queued = new Set<string>()
  const values = departures.map(departure => {
    const lane = keyOf(departure.draft)
    if (departure.turn === undefined) queued.add(lane)
    return departureOf(departure, !queued.has(lane))
  })
  return {sql: insert, args: [JSON.stringify(values)]}
}

const departureOf = ({draft, content, at, from}: Departure, isFirst: boolean): readonly SqlValue[] => [
  draft.id,
  draft.kind,
  draft.endpoint.toWellFormed(),
  draft.channel.toWellFormed(),
  content,
  at,
  from?.seq ?? null,
  from?.handler ?? null,
  from?.ordinal ?? null,
  from?.attempt ?? null,
  isFirst ? 1 : 0,
]

export const newRows = (result: Result | undefined): ReadonlyMap<string, NewRow> =>
  new Map((result?.rows ?? []).map(newRowOf))

/** How the database has drafts whose storing had an unknown outcome. */
export const readDeparted = async (database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, NewRow>> =>
  new Map(
    (
      await database.read("SELECT seq, id, state FROM outbox WHERE id IN (SELECT value FROM json_each(?))", [
        JSON.stringify(ids),
      ])
    ).map(newRowOf),
  )

const newRowOf = ({id, seq, state}: Row) => [String(id), {seq: Number(seq), state: String(state)}] as const

/** Which handler of which event a message came from. */
export interface Origin {
  readonly seq: number
  readonly handler: string
  readonly ordinal: number
  /** Stored before the handler's end; a repetition under the same ordinal is passed over. */
  readonly isEarly?: boolean
}

/** The statement that stores a draft of a handler, for the batch of the change that it belongs to. */
export const insertion = (draft: OutboxDraft, {seq, handler, ordinal, isEarly = false}: Origin): Statement => ({
  sql: `INSERT INTO outbox (id, kind, endpoint, channel, content, created_at, inbox_seq, handler, ordinal, early)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${isEarly ? "ON CONFLICT DO NOTHING" : ""}`,
  args: [
    draft.id,
    draft.kind,
    draft.endpoint,
    draft.channel,
    JSON.stringify(draft.content),
    Date.now(),
    seq,
    handler,
    ordinal,
    isEarly ? 1 : 0,
  ],
})

/**
 * Gives a state to what the Host's end left `sending`; resolves to what is not sent again by itself, which may or may not
 * have arrived.
 */
export const settleInterrupted = async (
  database: Database,
  policy: (endpoint: string) => Policy,
  timing: Timing,
): Promise<readonly Row[]> => {
  const rows = await database.read("SELECT seq, endpoint, attempt, spared FROM outbox WHERE state = 'sending'")
  const judged = rows.map(row => {
    const attempts = Number(row.attempt) - Number(row.spared)
    return {...row, state: judgeInterrupted(policy(String(row.endpoint)), attempts, timing)}
  })
  await database.write(judged.map(settling))
  return judged.filter(({state}) => state !== "queued")
}

const settling = ({seq = 0, state = ""}: Row): Statement => {
  if (state === "queued") return {sql: "UPDATE outbox SET state = 'queued' WHERE seq = ?", args: [seq]}
  return {
    sql: "UPDATE outbox SET state = ?, reason = 'host_ended', ended_at = ?, error = ? WHERE seq = ?",
    args: [state, Date.now(), "the Host ended while this was being sent; it may have arrived", seq],
  }
}
