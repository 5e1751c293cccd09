import {fromJson, toJson} from "../../shared/json.ts"
import {refused} from "../../shared/sdk/adapter/refusal.ts"
import type {OutboxState} from "../../shared/sdk/plugin/outbox-state.ts"
import type {SentMessage} from "../../shared/sdk/plugin/plugin.ts"
import type {Database, Reader, Row, Statement} from "../database/database.ts"
import {manyRows} from "../database/engine/many-rows.ts"
import {Gather} from "../database/gather.ts"
import type {Policy} from "../endpoints/policy.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"
import type {Reservation} from "../runtime/flow/reservation.ts"
import {isPast, isTooOld} from "./age.ts"
import {arrived, type End, judgeInterrupted, policyFor, type Timing} from "./delivery.ts"
import {type Address, type Located, messageShownBy, type OutboxDraft, type OwnMessage} from "./draft.ts"
import {findMessage, newestMessage} from "./look-ups.ts"
import type {MarkKey} from "./mark-key.ts"

/** The messages of one channel, which are sent in order. */
export type Lane = Pick<Address, "endpoint" | "channel">

export const laneKeyOf = ({endpoint, channel}: Lane): string => `${endpoint}/${channel}`

/** Returns the endpoint of an outbox lane or an inbox conversation. Names of endpoints contain no slash. */
export const endpointOfLane = (lane: string): string => lane.slice(0, lane.indexOf("/"))

export const laneOf = (row: Row): Lane => ({endpoint: String(row.endpoint), channel: String(row.channel)})

/** Returns the message that an outbox row shows, and its address; undefined if the row is not in the outbox. */
export const locate = async (database: Reader, id: string): Promise<Located | undefined> => {
  const row = await findMessage(database, id)
  if (row === undefined) return undefined
  const at = {...laneOf(row), ...(typeof row.user === "string" ? {user: row.user} : {})}
  return {at, message: messageShownBy(id, row.kind, fromJson(String(row.content)))}
}

/** How many of the newest rows are searched for a message by the platform's id, which no index has. */
const searched = 10_000

/** Returns the newest state of the bot's message that the platform names by this id in one of the channels. */
export const findOwn = async (
  database: Reader,
  {endpoint, channels, platform}: {endpoint: string; channels: readonly string[]; platform: string},
): Promise<OwnMessage | undefined> => {
  const [row] = await database.read(
    `SELECT id, kind, content FROM outbox WHERE seq > ${newestMessage} - ${searched} AND +endpoint = ?
      AND +channel IN (SELECT value FROM json_each(?)) AND +kind IN ('message', 'edit') AND +state = 'sent'
      AND iif(instr(platform_ids, ?), ? IN (SELECT value FROM json_each(platform_ids)), 0) ORDER BY seq DESC LIMIT 1`,
    [endpoint, toJson(channels), toJson(platform), platform],
  )
  if (row === undefined) return undefined
  const [id, content] = [String(row.id), fromJson(String(row.content))]
  const shown = messageShownBy(id, row.kind, content)
  if (!("outbox" in shown)) return undefined
  return {
    id: shown.outbox,
    content: row.kind === "edit" ? (content as {content: OwnMessage["content"]}).content : content,
  }
}

/** Returns the platform's ids of a message that an act is about. Throws a refusal if the message was not sent. */
export const readParts = async (database: Database, id: string): Promise<readonly string[]> => {
  const row = await findMessage(database, id)
  if (row?.state === "sent") return fromJson(String(row.platform_ids ?? "[]"))
  throw refused(`the message ${id} ${row === undefined ? "is no longer in the outbox" : `is ${row.state}, not sent`}`, {
    reason: "message_not_sent",
    remediation: "Retry the act once the message is sent, or discard it.",
  })
}

/** Returns a message or an act as plugins see it; undefined if it is not in the outbox. */
export const readMessage = async (database: Reader, id: string): Promise<SentMessage | undefined> => {
  const row = await findMessage(database, id)
  if (row === undefined) return undefined
  const {state, reason, platform_ids: ids} = row
  return {
    ...laneOf(row),
    state: state as OutboxState,
    ...(typeof reason === "string" ? {reason} : {}),
    platform: fromJson(String(ids ?? "[]")),
  }
}

export const readNext = async (database: Database, {endpoint, channel}: Lane): Promise<Row | undefined> => {
  const [row] = await database.read(
    `SELECT seq, id, kind, channel, user, content, attempt, spared, not_before, progress, platform_ids,
       not_after, aged_from, created_at FROM outbox
     WHERE state = 'queued' AND endpoint = ? AND channel = ? ORDER BY seq LIMIT 1`,
    [endpoint, channel],
  )
  return row
}

/** Claims an attempt and returns its row. A claim counts once, even if the database's first answer was lost. */
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

/** Keeps the sent parts of a message when a later part fails. The attempts of each part count from one. */
const finish = manyRows(
  ["seq", "attempt", "state", "platformIds", "progress", "error", "reason", "notBefore", "spared", "endedAt"],
  source => `UPDATE outbox SET state = f.state, platform_ids = COALESCE(f.platformIds, outbox.platform_ids),
    progress = iif(f.state = 'sent', NULL, COALESCE(f.progress, outbox.progress)), error = f.error, reason = f.reason,
    not_before = f.notBefore, ended_at = f.endedAt,
    spared = iif(f.progress IS NULL, outbox.spared + f.spared, outbox.attempt)
  FROM ${source} f WHERE outbox.seq = f.seq AND +outbox.state = 'sending' AND outbox.attempt = f.attempt`,
)

/** Stores which parts an edited message has now. */
const keepParts = manyRows(
  ["seq", "attempt", "edited", "ids"],
  source => `UPDATE outbox SET platform_ids = f.ids FROM ${source} f
  WHERE outbox.id = f.edited AND +outbox.state = 'sent' AND EXISTS (
    SELECT 1 FROM outbox act WHERE act.seq = f.seq AND act.state = 'sending' AND act.attempt = f.attempt)`,
)

const keepingParts = (finishes: readonly Finish[]): readonly Statement[] => {
  const edits = finishes.flatMap(({end, seq, attempt}) =>
    "edited" in end && end.edited !== undefined
      ? [{seq, attempt, edited: end.edited.outbox, ids: toJson(end.edited.ids)}]
      : [],
  )
  return edits.length === 0 ? [] : [keepParts(edits)]
}

/** Stores the ends of attempts, many at a time. */
export const gatherFinishes = (database: Database, clock: Clock = systemClock): Gather<Finish, void> =>
  new Gather<Finish, void>(database, {
    statements: finishes => [...keepingParts(finishes), finish(finishes.map(each => changeOf(each, clock.now())))],
    answers: (_, finishes) => finishes.map(() => undefined),
  })

const changeOf = ({end, seq, attempt}: Finish, now: number) => {
  const ended = {seq, attempt, state: end.is, platformIds: null, progress: null, notBefore: 0, spared: 0, endedAt: now}
  if (end.is === "sent") return {...ended, platformIds: toJson(end.ids), error: null, reason: null}
  if (end.is === "partly") {
    const {done, of, limit} = end
    const progress = toJson({done, of, limit, attempt})
    return {...ended, state: "queued", platformIds: toJson(end.ids), progress, error: null, reason: null, endedAt: null}
  }
  const {error} = end
  if (end.is !== "queued") return {...ended, error, reason: end.reason}
  return {...ended, error, reason: null, notBefore: now + end.wait, spared: end.counts ? 0 : 1, endedAt: null}
}

/** A draft on its way into the outbox, with its content as stored. */
export interface Departure {
  readonly draft: OutboxDraft
  readonly content: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The reserved turn of its channel: with it, the draft may be stored as `sending`. */
  readonly turn: Reservation<Row> | undefined
  /** It is stored only while this attempt runs, as its message number `ordinal`. */
  readonly from?: MarkKey & {readonly ordinal: number}
}

/** How a draft was stored. */
export interface NewRow {
  readonly seq: number
  readonly state: string
}

/** The columns that `columnsOf` returns. */
export const columns = ["id", "kind", "endpoint", "channel", "user", "not_after", "important"] as const

/** None is sent before a queued one of its channel. Without LIMIT, SQLite computes `direct` twice. */
const insertIf = (condition: string) =>
  manyRows(
    [...columns, "content", "at", "seq", "handler", "ordinal", "attempt", "isFirst"],
    source => `INSERT INTO outbox (${columns}, content, created_at, inbox_seq, handler, ordinal, state, attempt)
  SELECT ${columns}, content, at, seq, handler, ordinal, iif(direct, 'sending', 'queued'), direct
  FROM (SELECT ${columns}, content, at, seq, handler, ordinal, attempt,
      isFirst AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.state = 'queued' AND o.endpoint = d.endpoint AND o.channel = d.channel) AS direct
    FROM ${source} d LIMIT -1) d
  WHERE ${condition} RETURNING seq, id, state`,
  )

/**
 * Stores drafts for which SQL about their source `d` holds: the `seq`, `handler` and `attempt` that they are from.
 * Returns the rows of the stored ones, for `newRows`.
 */
export const insertingIf = (condition: string): ((departures: readonly Departure[]) => Statement) => {
  const insert = insertIf(condition)
  return departures => {
    // The statement does not see the rows that it inserts.
    const queued = new Set<string>()
    const values = departures.map(departure => {
      const lane = laneKeyOf(departure.draft)
      if (departure.turn === undefined) queued.add(lane)
      return storedOf(departure, !queued.has(lane))
    })
    return insert(values)
  }
}

export const inserting = insertingIf("true")

/** Returns the identity, the address and the limit of a draft as its row has them. */
export const columnsOf = ({id, kind, endpoint, channel, user, notAfter, important}: OutboxDraft) => ({
  id,
  kind,
  endpoint: endpoint.toWellFormed(),
  channel: channel.toWellFormed(),
  user: user?.toWellFormed() ?? null,
  not_after: notAfter ?? null,
  important: important === true ? 1 : 0,
})

const storedOf = ({draft, content, at, from}: Departure, isFirst: boolean) => {
  const {seq = null, handler = null, ordinal = null, attempt = null} = from ?? {}
  return {...columnsOf(draft), content, at, seq, handler, ordinal, attempt, isFirst: isFirst ? 1 : 0}
}

export const newRows = (rows: readonly Row[] = []): ReadonlyMap<string, NewRow> =>
  new Map(rows.map(({id, seq, state}) => [String(id), {seq: Number(seq), state: String(state)}]))

/** Returns the rows of drafts whose storing had an unknown outcome. */
export const readDeparted = async (
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NewRow>> => {
  const select = "SELECT seq, id, state FROM outbox WHERE id IN (SELECT value FROM json_each(?))"
  return newRows(await database.read(select, [toJson(ids)]))
}

/** The handler and the event that a message came from. */
export interface Origin {
  readonly seq: number
  readonly handler: string
  readonly ordinal: number
  /** Stored before the handler's end. A repetition under the same ordinal is skipped. */
  readonly isEarly?: boolean
}

/** Returns the statement that stores a handler's draft, for the batch of its change. */
export const insertion = (
  draft: OutboxDraft,
  {seq, handler, ordinal, isEarly = false}: Origin,
  at: number,
): Statement => ({
  sql: `INSERT INTO outbox (id, kind, endpoint, channel, user, not_after, important, content, created_at, inbox_seq, handler, ordinal, early)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${isEarly ? "ON CONFLICT DO NOTHING" : ""}`,
  args: [
    draft.id,
    draft.kind,
    draft.endpoint,
    draft.channel,
    draft.user ?? null,
    draft.notAfter ?? null,
    draft.important === true ? 1 : 0,
    toJson(draft.content),
    at,
    seq,
    handler,
    ordinal,
    isEarly ? 1 : 0,
  ],
})

/** Returns the statement that stores a notice about an event once, if SQL holds: `?6` is `at`, and `?7` is `seq`. */
export const notingIf = (
  condition: string,
  draft: OutboxDraft,
  {seq, at}: {readonly seq: number; readonly at: number},
): Statement => ({
  sql: `INSERT INTO outbox (id, kind, endpoint, channel, content, created_at, inbox_seq)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ${condition} ON CONFLICT (id) DO NOTHING`,
  args: [draft.id, draft.kind, draft.endpoint, draft.channel, toJson(draft.content), at, seq],
})

/** Settles messages left `sending` by the Host's end. Resolves to those not sent again: they may have arrived. */
export const resolveInterrupted = async (
  database: Database,
  policy: (endpoint: string) => Policy,
  timing: Timing,
  now = Date.now(),
): Promise<readonly Row[]> => {
  const rows = await database.read(
    `SELECT seq, endpoint, kind, content, attempt, spared, progress, not_after, aged_from, created_at FROM outbox
     WHERE state = 'sending'`,
  )
  const judged = rows.map(row => {
    const attempts = Number(row.attempt) - Number(row.spared)
    const sending = policyFor(row, policy(String(row.endpoint)))
    const state = judgeInterrupted(sending, attempts, timing)
    const isOver = (state === "queued" ? isTooOld : isPast)(row, sending.maxAge, now)
    return {...row, state: isOver ? "expired" : state}
  })
  await database.write(judged.map(row => settling(row, now)))
  return judged.filter(({state}) => state !== "queued")
}

const settling = (row: Row, now: number): Statement => {
  const {seq = 0, state = ""} = row
  if (state === "queued") return {sql: "UPDATE outbox SET state = 'queued' WHERE seq = ?", args: [seq]}
  return {
    sql: "UPDATE outbox SET state = ?, reason = ?, ended_at = ?, error = ? WHERE seq = ?",
    args: [
      state,
      state === "expired" ? "too_old" : "host_ended",
      now,
      `${arrived(row)}the Host ended while it sent this; it may have arrived`,
      seq,
    ],
  }
}
