import {toJson} from "../../../shared/json.ts"
import {stampingEvents} from "../../database/authority.ts"
import type {Database, Row, Statement} from "../../database/database.ts"
import {setMeta} from "../../database/engine.ts"
import {owingGaps} from "../../endpoints/gaps/handed-over.ts"
import {telling} from "../../events/telling.ts"
import {holdingAgents, knownAgentRuns} from "./adopt-agents.ts"

/** The new identity of a restored database. */
export interface Adoption {
  readonly authority: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly checkpoint: string
  /** The authority of the checkpoint. */
  readonly from: string
}

/** The rows that a restore leaves for a person to release or discard. */
export interface HeldBack {
  readonly outbox: number
  readonly inbox: number
  /** Runs of agents. */
  readonly agents: number
  /** The number of unsent or unhandled rows in the checkpoint that the replaced state had already sent, handled or ended. */
  readonly settled: number
}

const openMessages = "state IN ('scheduled', 'queued', 'sending')"
const openMarks = "m.state IN ('pending', 'running')"
// The `+` makes SQLite find each row by its key. By the state, each row of a chunk would scan all open rows.
const andStillOpenMessage = `AND +outbox.${openMessages}`
const andStillOpenMark = `AND +${openMarks}`

/** How many rows one statement handles. */
const chunk = 1000

/**
 * Gives a restored database a new authority. It holds unsent messages and unhandled events, so that the Host neither sends nor
 * handles them. Rows that have a final state in `replaced`, the later state of the same authority, take that state instead.
 */
export const adoptDatabase = async (
  database: Database,
  {authority, at, checkpoint, from}: Adoption,
  replaced: Database | undefined,
): Promise<HeldBack> => {
  const known =
    replaced === undefined
      ? []
      : [
          ...(await knownMessages(database, replaced)),
          ...(await knownMarks(database, replaced)),
          ...(await knownAgentRuns(database, replaced)),
        ]
  const counters = replaced === undefined ? [] : [...(await raiseCounters(replaced)), ...(await sentParts(replaced))]
  const until = replaced === undefined ? {} : await readAhead(replaced, at)
  const isNewest = replaced !== undefined && (await lastEventOf(replaced)) === (await lastEventOf(database))
  const results = await database.write([
    ...known,
    ...counters,
    {sql: `UPDATE outbox SET state = 'held', reason = 'restored', ended_at = ? WHERE ${openMessages}`, args: [at]},
    {
      sql: `UPDATE inbox_marks AS m SET state = 'held', error = 'restored', ended_at = ? WHERE ${openMarks}`,
      args: [at],
    },
    ...holdingAgents(at),
    {sql: "UPDATE timers SET state = 'held', reason = 'restored' WHERE state = 'waiting'"},
    {sql: "UPDATE svc_runs SET ended_at = ?, reason = 'restored' WHERE ended_at IS NULL", args: [at]},
    {sql: "UPDATE svc_meta SET value = ? WHERE key = 'authority'", args: [authority]},
    setMeta("restored", toJson({at, checkpoint, from, until})),
    ...(isNewest ? [] : [owingGaps]),
    telling("checkpoint.restored", {checkpoint, from}),
    ...stampingEvents(database, authority),
  ])
  const changes = results.map(result => result.changes)
  const first = known.length + counters.length
  return {
    outbox: changes[first] ?? 0,
    inbox: changes[first + 1] ?? 0,
    agents: changes[first + 2] ?? 0,
    settled: changes.slice(0, known.length).reduce((sum, count) => sum + count, 0),
  }
}

/** Resolves to the number of the last event ever stored. If it is equal in both states, nothing was acknowledged in between. */
const lastEventOf = async (database: Database): Promise<number> => {
  const [row] = await database.read("SELECT seq FROM sqlite_sequence WHERE name = 'inbox'")
  return Number(row?.seq ?? 0)
}

/** Resolves to the newest time of each endpoint whose platform's clock is ahead, in milliseconds since 1970. */
const readAhead = async (replaced: Database, at: number): Promise<Readonly<Record<string, number>>> => {
  const newest = "SELECT endpoint, max(event ->> 'timestamp') AS until FROM inbox GROUP BY endpoint"
  const rows = await replaced.read(`SELECT * FROM (${newest}) WHERE until > ?`, [at])
  return Object.fromEntries(rows.map(({endpoint, until}) => [String(endpoint), Number(until)]))
}

const inChunks = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({length: Math.ceil(items.length / chunk)}, (_, index) => items.slice(index * chunk, (index + 1) * chunk))

/** A message that the replaced state was sending may have arrived. */
const messageStates = `CASE state WHEN 'sending' THEN 'unknown' ELSE state END`

const knownMessages = async (database: Database, replaced: Database): Promise<Statement[]> => {
  const open = await database.read(`SELECT id FROM outbox WHERE ${openMessages}`)
  const statements: Statement[] = []
  for (const ids of inChunks(open.map(({id}) => id))) {
    const found = await replaced.read(
      `SELECT id, ${messageStates} AS state, attempt, platform_ids, progress, error, reason, ended_at FROM outbox
       WHERE state NOT IN ('scheduled', 'queued', 'held') AND id IN (SELECT value FROM json_each(?))`,
      [toJson(ids)],
    )
    if (found.length > 0) statements.push(takingMessages(found))
  }
  return statements
}

/** Resolves to the statements for messages of which further parts have been sent since. */
const sentParts = async (replaced: Database): Promise<Statement[]> => {
  const rows = await replaced.read(
    "SELECT id, platform_ids, progress FROM outbox WHERE state IN ('queued', 'held') AND progress IS NOT NULL",
  )
  return inChunks(rows).map(some => ({
    sql: `UPDATE outbox SET progress = r.value ->> 'progress', platform_ids = r.value ->> 'platform_ids'
      FROM json_each(?) r WHERE outbox.id = r.value ->> 'id' ${andStillOpenMessage}`,
    args: [toJson(some)],
  }))
}

const takingMessages = (rows: readonly Row[]): Statement => ({
  sql: `UPDATE outbox SET state = r.value ->> 'state', attempt = r.value ->> 'attempt', error = r.value ->> 'error',
      platform_ids = r.value ->> 'platform_ids', progress = r.value ->> 'progress', reason = COALESCE(r.value ->> 'reason', reason), ended_at = r.value ->> 'ended_at'
    FROM json_each(?) r WHERE outbox.id = r.value ->> 'id' ${andStillOpenMessage}`,
  args: [toJson(rows)],
})

const knownMarks = async (database: Database, replaced: Database): Promise<Statement[]> => {
  const open = await database.read(
    `SELECT i.seq, i.endpoint, i.event_id, m.handler FROM inbox_marks m JOIN inbox i USING (seq) WHERE ${openMarks}`,
  )
  const statements: Statement[] = []
  for (const rows of inChunks(open)) {
    const found = await replaced.read(
      `SELECT r.value ->> 'seq' AS seq, m.handler, m.state, m.attempt, m.error, m.ended_at FROM json_each(?) r
       JOIN inbox i ON i.endpoint = r.value ->> 'endpoint' AND i.event_id = r.value ->> 'event_id'
       JOIN inbox_marks m ON m.seq = i.seq AND m.handler = r.value ->> 'handler'
       WHERE m.state IN ('handled', 'failed', 'dead', 'discarded', 'expired')`,
      [toJson(rows)],
    )
    if (found.length > 0) statements.push(takingMarks(found))
  }
  return statements
}

const takingMarks = (rows: readonly Row[]): Statement => ({
  sql: `UPDATE inbox_marks AS m SET state = r.value ->> 'state', attempt = r.value ->> 'attempt',
      error = r.value ->> 'error', ended_at = r.value ->> 'ended_at'
    FROM json_each(?) r WHERE m.seq = r.value ->> 'seq' AND m.handler = r.value ->> 'handler' ${andStillOpenMark}`,
  args: [toJson(rows)],
})

/** Resolves to the statements that keep numbers of the replaced state from being reused. */
const raiseCounters = async (replaced: Database): Promise<Statement[]> => {
  const rows = await replaced.read(
    "SELECT name, seq FROM sqlite_sequence WHERE name IN ('inbox', 'outbox', 'generations', 'agent_runs', 'agent_approvals')",
  )
  return rows.flatMap(({name = null, seq = null}) => [
    {sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", args: [seq, name]},
    {
      sql: "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
      args: [name, seq],
    },
  ])
}
