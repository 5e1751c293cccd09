import {fromJson, toJson} from "../../../shared/json.ts"
import type {Database, Row, Statement} from "../../database/database.ts"

/** The description of the point that the last batch of a checkpoint's database contains. */
export interface Marker {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The number of that batch's group; a copy with later data has a higher one. */
  readonly group: number
  readonly generation: number | null
  /** The marks of the other parts at that moment. */
  readonly parts: Readonly<Record<string, unknown>>
}

/** Returns the statement that ends a checkpoint's database. */
export const marking = (id: string, at: number, parts: Marker["parts"]): Statement => ({
  sql: `INSERT INTO svc_meta (key, value) VALUES ('checkpoint', json_object('id', ?, 'at', ?,
      'group', (SELECT number + 1 FROM svc_group), 'generation', (SELECT max(number) FROM generations), 'parts', json(?)))
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  args: [id, at, toJson(parts)],
})

/** Reads the newest marker in a database or a copy of it. */
export const readMarker = async (database: Database): Promise<Marker | undefined> => {
  const [row] = await database.read("SELECT value FROM svc_meta WHERE key = 'checkpoint'")
  return row === undefined ? undefined : (fromJson(String(row.value)) as Marker)
}

export const readGroup = async (database: Database): Promise<number> => {
  const [row]: readonly Row[] = await database.read("SELECT number FROM svc_group WHERE id = 1")
  return Number(row?.number)
}
