import type {Database} from "../database/database.ts"

/** Where the platform of an endpoint goes on: what was stored with its newest events. */
export const readCursor = async (database: Database, endpoint: string): Promise<string | undefined> => {
  const [row] = await database.read("SELECT cursor FROM endpoint_cursors WHERE endpoint = ?", [endpoint])
  return row?.cursor === undefined || row.cursor === null ? undefined : String(row.cursor)
}

/** How far an endpoint's platform is, and what came too late. */
export interface CursorFacts {
  /** When a cursor was stored last, in milliseconds since 1970. */
  readonly at: number | undefined
  readonly dropped: number
}

/** By the name of the endpoint; without those of which nothing is known. */
export const readCursorFacts = async (database: Pick<Database, "read">): Promise<ReadonlyMap<string, CursorFacts>> =>
  new Map(
    (await database.read("SELECT endpoint, at, dropped FROM endpoint_cursors")).map(({endpoint, at, dropped}) => [
      String(endpoint),
      {at: at === null ? undefined : Number(at), dropped: Number(dropped)},
    ]),
  )
