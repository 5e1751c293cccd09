import {type Database, schemaOf} from "../../database/database.ts"
import {readCell, textIn} from "../../database/engine/cells.ts"
import {versionOf} from "../../database/migrations/migrations.ts"
import {readFileIfExists} from "../../runtime/files.ts"
import {readAcknowledged} from "./acknowledged.ts"
import {parseCatalog} from "./catalog.ts"
import {storePaths} from "./segments.ts"

/**
 * Returns the authority of a file store without checking the store. Undefined if there is no store, or if the files are
 * unreadable; opening the store then says why. If the Catalog and the acknowledged number differ, an authority was just
 * adopted: prefers `expected`.
 */
export const authorityOfFiles = async (folder: string, expected: string | undefined): Promise<string | undefined> => {
  const paths = storePaths(folder)
  const told = await readAcknowledged(paths.acknowledged)
  const acknowledged = told === "damaged" ? undefined : told?.authority
  // The acknowledged number is small and rarely behind the Catalog, which usually need not be read.
  if (acknowledged !== undefined && acknowledged === expected) return acknowledged
  const text = await readFileIfExists(paths.catalog)
  const catalog = text === undefined ? undefined : parseCatalog(text)?.authority
  return catalog !== undefined && catalog === expected ? catalog : (acknowledged ?? catalog)
}

/** The authority of the tables; undefined if the workroom was never used. */
export const authorityOfTables = async (database: Pick<Database, "read" | "state">): Promise<string | undefined> => {
  if (schemaOf(database) < versionOf("workroom")) return undefined
  return textIn(await readCell(database, "SELECT authority FROM workroom_head"))
}

/** Whether a file store was ever made. */
export const hasFiles = async (folder: string): Promise<boolean> =>
  (await readAcknowledged(storePaths(folder).acknowledged)) !== undefined
