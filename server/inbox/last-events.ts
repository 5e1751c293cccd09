import type {Database} from "../database/database.ts"

/** So many of the newest events are looked through for those of earlier runs: all of them would hold up the Host. */
const looked = 5000

/** When the last event of each endpoint was stored, in milliseconds since 1970, as far as the newest events tell. */
export const readLastEvents = async (database: Database): Promise<ReadonlyMap<string, number>> => {
  const rows = await database.read(
    `SELECT endpoint, max(received_at) AS at FROM (SELECT endpoint, received_at FROM inbox ORDER BY seq DESC LIMIT ${looked})
     GROUP BY endpoint`,
  )
  return new Map(rows.map(({endpoint, at}) => [String(endpoint), Number(at)]))
}
