import {Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {type Lane, laneOf} from "./rows.ts"

/**
 * Discards a plugin's message that has not begun. Resolves to its lane; undefined if it has begun. Throws
 * `outbox_unknown`.
 */
export const cancel = async (
  database: Database,
  id: string,
  plugin: string,
  now: number,
): Promise<Lane | undefined> => {
  const [discarded, known] = await database.write([
    {
      sql: `UPDATE outbox SET state = 'discarded', reason = 'cancelled', ended_at = ?
        WHERE id = ? AND plugin = ? AND state IN ('scheduled', 'queued', 'held')
          AND progress IS NULL RETURNING endpoint, channel`,
      args: [now, id, plugin],
    },
    {sql: "SELECT 1 AS one FROM outbox WHERE id = ? AND plugin = ?", args: [id, plugin]},
  ])
  if (known?.rows.length === 0) throw new Problem("outbox_unknown", `${plugin} has sent no message ${id}`)
  const [row] = discarded?.rows ?? []
  return row && laneOf(row)
}
