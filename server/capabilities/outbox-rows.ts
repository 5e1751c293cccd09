import type {Row, Statement} from "../../shared/plugin-database.ts"
import type {Database} from "../database/database.ts"
import {type End, judgeInterrupted, type Policy, type Timing} from "./delivery.ts"

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

export const finishing = (end: End, seq: number, attempt: number): Statement => ({
  sql: `UPDATE outbox SET state = ?, platform_ids = ?, error = ?, reason = ?, not_before = ?, spared = spared + ?, ended_at = ?
    WHERE seq = ? AND state = 'sending' AND attempt = ?`,
  args: [...valuesOf(end), seq, attempt],
})

const valuesOf = (end: End): NonNullable<Statement["args"]> => {
  if (end.is === "sent") return [end.is, JSON.stringify(end.ids), null, null, 0, 0, Date.now()]
  if (end.is === "queued") return [end.is, null, end.error, null, Date.now() + end.wait, end.counts ? 0 : 1, null]
  return [end.is, null, end.error, end.reason, 0, 0, Date.now()]
}

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
  if (judged.length > 0) await database.write(judged.map(settling))
  return judged.filter(({state}) => state !== "queued")
}

const settling = ({seq = 0, state = ""}: Row): Statement => {
  if (state === "queued") return {sql: "UPDATE outbox SET state = 'queued' WHERE seq = ?", args: [seq]}
  return {
    sql: "UPDATE outbox SET state = ?, reason = 'host_ended', ended_at = ?, error = ? WHERE seq = ?",
    args: [state, Date.now(), "the Host ended while this was being sent; it may have arrived", seq],
  }
}
