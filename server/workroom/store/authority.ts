import {type Database, schemaOf} from "../../database/database.ts"
import {versionOf} from "../../database/migrations/migrations.ts"
import {readFileIfExists} from "../../runtime/files.ts"
import {parseCatalog} from "../catalog.ts"
import {readAcknowledged} from "./acknowledged.ts"
import {storePaths} from "./segments.ts"

/**
 * The authority that a file store names, without checking it; undefined where there is none, and where nothing of it can be
 * believed: opening it says why. Where Catalog and acknowledged number name two, one was just taken over: `expected` is
 * preferred.
 */
export const authorityOfFiles = async (folder: string, expected: string | undefined): Promise<string | undefined> => {
  const paths = storePaths(folder)
  const told = await readAcknowledged(paths.acknowledged)
  const acknowledged = told === "damaged" ? undefined : told?.authority
  // Small, and never behind the Catalog but for a power cut: most often the Catalog need not be read.
  if (acknowledged !== undefined && acknowledged === expected) return acknowledged
  const text = await readFileIfExists(paths.catalog)
  const catalog = text === undefined ? undefined : parseCatalog(text)?.authority
  return catalog !== undefined && catalog === expected ? catalog : (acknowledged ?? catalog)
}

/** The authority that the tables name; undefined where the workroom was never used. */
export const authorityOfTables = async (database: Pick<Database, "read" | "state">): Promise<string | undefined> => {
  if (schemaOf(database) < versionOf("workroom")) return undefined
  const [row] = await database.read("SELECT authority FROM workroom_head")
  return row === undefined ? undefined : String(row.authority)
}

/** Has there ever been a store of files? */
export const hasFiles = async (folder: string): Promise<boolean> =>
  (await readAcknowledged(storePaths(folder).acknowledged)) !== undefined
