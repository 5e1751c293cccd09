import type {Database} from "../database/database.ts"

/** How many of the newest events to search for those of earlier runs. Searching all of them would block the Host. */
const looked = 5000

/**
 * Returns when the last event of each endpoint was stored, in milliseconds since 1970, as far as the newest events
 * show.
 */
export const readLastEvents = async (database: Database): Promise<ReadonlyMap<string, number>> => {
  const rows = await database.read(
    `SELECT endpoint, max(received_at) AS at FROM (SELECT endpoint, received_at FROM inbox ORDER BY seq DESC LIMIT ${looked})
     GROUP BY endpoint`,
  )
  return new Map(rows.map(({endpoint, at}) => [String(endpoint), Number(at)]))
}
