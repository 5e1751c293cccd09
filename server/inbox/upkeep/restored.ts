import {toJson} from "../../../shared/json.ts"
import type {Database, Statement} from "../../database/database.ts"
import {readNumber} from "../../database/engine/cells.ts"
import {takingOver} from "../../database/upkeep/adopting.ts"

const isOpen = "m.state IN ('pending', 'running')"

/** Holds the unhandled events of a restored database. */
export const holdingMarks = (at: number): Statement => ({
  sql: `UPDATE inbox_marks AS m SET state = 'held', error = 'restored', ended_at = ? WHERE ${isOpen}`,
  args: [at],
})

/** Resolves to the statements for open handlers that have ended in the replaced state. */
export const knownMarks = async (database: Database, replaced: Database): Promise<readonly Statement[]> => {
  const found = `SELECT r.value ->> 'seq' AS seq, m.handler, m.state, m.attempt, m.error, m.ended_at FROM json_each(?) r
    JOIN inbox i ON i.endpoint = r.value ->> 'endpoint' AND i.event_id = r.value ->> 'event_id'
    JOIN inbox_marks m ON m.seq = i.seq AND m.handler = r.value ->> 'handler'
    WHERE m.state IN ('handled', 'failed', 'dead', 'discarded', 'expired')`
  return takingOver(
    await database.read(
      `SELECT i.seq, i.endpoint, i.event_id, m.handler FROM inbox_marks m JOIN inbox i USING (seq) WHERE ${isOpen}`,
    ),
    rows => replaced.read(found, [toJson(rows)]),
    // The `+` makes SQLite find each row by its key. By the state, each row of a chunk would scan all open rows.
    `UPDATE inbox_marks AS m SET state = r.value ->> 'state', attempt = r.value ->> 'attempt',
      error = r.value ->> 'error', ended_at = r.value ->> 'ended_at'
      FROM json_each(?) r WHERE m.seq = r.value ->> 'seq' AND m.handler = r.value ->> 'handler' AND +${isOpen}`,
  )
}

/** Resolves to the number of the last event ever stored. If it is equal in both states, nothing was acknowledged in between. */
export const readLastNumber = (database: Database): Promise<number> =>
  readNumber(database, "SELECT seq FROM sqlite_sequence WHERE name = 'inbox'")

/** Resolves to the newest time of each endpoint whose platform's clock is ahead, in milliseconds since 1970. */
export const readAhead = async (database: Database, at: number): Promise<Readonly<Record<string, number>>> => {
  const newest = "SELECT endpoint, max(event ->> 'timestamp') AS until FROM inbox GROUP BY endpoint"
  const rows = await database.read(`SELECT * FROM (${newest}) WHERE until > ?`, [at])
  return Object.fromEntries(rows.map(({endpoint, until}) => [String(endpoint), Number(until)]))
}
