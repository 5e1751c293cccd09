import type {Database} from "../database/database.ts"

/** Reads the cursor of an endpoint, which was stored with its newest events. */
export const readCursor = async (database: Database, endpoint: string): Promise<string | undefined> => {
  const [row] = await database.read("SELECT cursor FROM endpoint_cursors WHERE endpoint = ?", [endpoint])
  return row?.cursor === undefined || row.cursor === null ? undefined : String(row.cursor)
}

/** The cursor's age, and how many events came too late. */
export interface CursorFacts {
  /** When a cursor was last stored, in milliseconds since 1970. */
  readonly at: number | undefined
  readonly dropped: number
}

/** Reads the facts of all endpoints that have any, by name. */
export const readCursorFacts = async (database: Pick<Database, "read">): Promise<ReadonlyMap<string, CursorFacts>> =>
  new Map(
    (await database.read("SELECT endpoint, at, dropped FROM endpoint_cursors")).map(({endpoint, at, dropped}) => [
      String(endpoint),
      {at: at === null ? undefined : Number(at), dropped: Number(dropped)},
    ]),
  )
