import {Check} from "typebox/schema"
import type {Static, TSchema} from "../../../shared/type.ts"
import {readJsonIfExists} from "../../runtime/files.ts"

/** Returns the JSON of a file; undefined if there is none, or if it does not fit the schema. */
export const readStored = async <T extends TSchema>(path: string, schema: T): Promise<Static<T> | undefined> => {
  const json = await readJsonIfExists(path)
  // A parser has just proved it.
  return Check(schema, json) ? (json as Static<T>) : undefined
}
