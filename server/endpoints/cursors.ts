import type {Database, Reader, Statement} from "../database/database.ts"
import {numberIn, readCell, textIn} from "../database/engine/cells.ts"

/** Reads the cursor of an endpoint, which was stored with its newest events. */
export const readCursor = async (database: Database, endpoint: string): Promise<string | undefined> =>
  textIn(await readCell(database, "SELECT cursor FROM endpoint_cursors WHERE endpoint = ?", [endpoint]))

/** Stores a cursor, if there is one, and counts events that came too late. */
export const storingCursor = (endpoint: string, cursor: string | null, dropped: number, at: number): Statement => ({
  sql: `INSERT INTO endpoint_cursors (endpoint, cursor, at, dropped, dropped_at)
    VALUES (?1, ?2, iif(?2 IS NULL, NULL, ?4), ?3, iif(?3 > 0, ?4, NULL))
    ON CONFLICT (endpoint) DO UPDATE SET cursor = coalesce(excluded.cursor, cursor), at = coalesce(excluded.at, at),
      dropped = dropped + excluded.dropped, dropped_at = coalesce(excluded.dropped_at, dropped_at)`,
  args: [endpoint, cursor, dropped, at],
})

/** The cursor's age, and how many events came too late. */
export interface CursorFacts {
  /** When a cursor was last stored, in milliseconds since 1970. */
  readonly at: number | undefined
  readonly dropped: number
}

/** Reads the facts of all endpoints that have any, by name. */
export const readCursorFacts = async (database: Reader): Promise<ReadonlyMap<string, CursorFacts>> =>
  new Map(
    (await database.read("SELECT endpoint, at, dropped FROM endpoint_cursors")).map(({endpoint, at, dropped}) => [
      String(endpoint),
      {at: numberIn(at), dropped: Number(dropped)},
    ]),
  )
