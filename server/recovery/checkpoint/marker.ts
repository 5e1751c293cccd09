import {fromJson, toJson} from "../../../shared/json.ts"
import type {Database, Statement} from "../../database/database.ts"
import {newestGroup} from "../../database/state/group.ts"
import {readMeta, setMeta} from "../../database/state/meta.ts"
import {newestGeneration} from "../../generation/history.ts"

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
export const marking = (id: string, at: number, parts: Marker["parts"]): Statement =>
  setMeta("checkpoint", {
    sql: `json_object('id', ?, 'at', ?, 'group', ${newestGroup} + 1, 'generation', ${newestGeneration}, 'parts', json(?))`,
    args: [id, at, toJson(parts)],
  })

/** Reads the newest marker in a database or a copy of it. */
export const readMarker = async (database: Database): Promise<Marker | undefined> => {
  const marker = await readMeta(database, "checkpoint")
  return marker === undefined ? undefined : (fromJson(marker) as Marker)
}
