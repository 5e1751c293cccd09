import type {Database} from "../database/database.ts"

/** Where the platform of an endpoint goes on: what was stored with its newest events. */
export const readCursor = async (database: Database, endpoint: string): Promise<string | undefined> => {
  const [row] = await database.read("SELECT cursor FROM endpoint_cursors WHERE endpoint = ?", [endpoint])
  return row?.cursor === undefined || row.cursor === null ? undefined : String(row.cursor)
}
