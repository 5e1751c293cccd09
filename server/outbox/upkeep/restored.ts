import {toJson} from "../../../shared/json.ts"
import type {Database, Reader, Statement} from "../../database/database.ts"
import {takingOver} from "../../database/upkeep/adopting.ts"

const isOpen = "state IN ('scheduled', 'queued', 'sending')"
// The `+` makes SQLite find each row by its key. By the state, each row of a chunk would scan all open rows.
const ofOpen = `FROM json_each(?) r WHERE outbox.id = r.value ->> 'id' AND +outbox.${isOpen}`

/** Holds the unsent messages of a restored database. */
export const holdingMessages = (at: number): Statement => ({
  sql: `UPDATE outbox SET state = 'held', reason = 'restored', ended_at = ? WHERE ${isOpen}`,
  args: [at],
})

/** Resolves to the statements for unsent messages that the replaced state sent. One that it was sending may have arrived. */
export const knownMessages = async (database: Database, replaced: Database): Promise<readonly Statement[]> => {
  const found = `SELECT id, CASE state WHEN 'sending' THEN 'unknown' ELSE state END AS state, attempt, platform_ids, progress,
      error, reason, ended_at FROM outbox
    WHERE state NOT IN ('scheduled', 'queued', 'held') AND id IN (SELECT value ->> 'id' FROM json_each(?))`
  return takingOver(
    await database.read(`SELECT id FROM outbox WHERE ${isOpen}`),
    rows => replaced.read(found, [toJson(rows)]),
    `UPDATE outbox SET state = r.value ->> 'state', attempt = r.value ->> 'attempt', error = r.value ->> 'error',
      platform_ids = r.value ->> 'platform_ids', progress = r.value ->> 'progress',
      reason = COALESCE(r.value ->> 'reason', reason), ended_at = r.value ->> 'ended_at' ${ofOpen}`,
  )
}

/** Resolves to the statements for messages of which the replaced state sent further parts. */
export const sentParts = async (replaced: Database): Promise<readonly Statement[]> => {
  const begun =
    "SELECT id, platform_ids, progress FROM outbox WHERE state IN ('queued', 'held') AND progress IS NOT NULL"
  return takingOver(
    await replaced.read(begun),
    async rows => rows,
    `UPDATE outbox SET progress = r.value ->> 'progress', platform_ids = r.value ->> 'platform_ids' ${ofOpen}`,
  )
}

/** A message that was sent, or may have been. */
export interface SideEffect {
  readonly message: string
  readonly endpoint: string
  readonly state: string
  readonly at: string
}

/** Returns the messages that were sent since a moment, in milliseconds since 1970, or may have been, oldest first. */
export const readSentSince = async (database: Reader, moment: number): Promise<readonly SideEffect[]> => {
  const rows = await database.read(
    `SELECT id, endpoint, state, COALESCE(ended_at, created_at) AS at FROM outbox
      WHERE state = 'sending' OR ((state IN ('sent', 'unknown') OR (state = 'expired' AND attempt > 0)) AND (ended_at >= ?1 OR created_at >= ?1)) ORDER BY seq`,
    [moment],
  )
  return rows.map(({id, endpoint, state, at}) => ({
    message: String(id),
    endpoint: String(endpoint),
    state: String(state),
    at: new Date(Number(at)).toISOString(),
  }))
}
