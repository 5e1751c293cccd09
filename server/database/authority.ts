import {randomUUID} from "node:crypto"
import {fromJson, toJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import {readFileIfExists, writeFileAtomic} from "../runtime/files.ts"
import {textIn} from "./cells.ts"
import {type Database, schemaOf} from "./database.ts"
import type {Statement} from "./engine.ts"
import {versionOf} from "./migrations/migrations.ts"

/** The content of `.svc/authority.json`. `minting` is true until the database has the same authority. */
export interface AuthorityFile {
  readonly authority: string
  readonly minting: boolean
}

/** The authorities in a database: of the database itself and of its event log. */
export interface AuthorityRows {
  /** Undefined if no Host has started on the database. */
  readonly authority: string | undefined
  /** Undefined if there is no event log yet. */
  readonly eventLog: string | undefined
}

/** Reads the authorities from a database of any schema up to this version's. */
export const readAuthorityRows = async (database: Pick<Database, "read" | "state">): Promise<AuthorityRows> => {
  const schema = schemaOf(database)
  const text = async (sql: string) => textIn((await database.read(sql))[0]?.value)
  return {
    authority: schema === 0 ? undefined : await text("SELECT value FROM svc_meta WHERE key = 'authority'"),
    eventLog: schema < stampedSince ? undefined : await text("SELECT authority AS value FROM event_retention"),
  }
}

const stampedSince = versionOf("event-authority")

/**
 * Settles the one random id that all durable state of a project shares. The first start mints it in a migrated
 * database; after a kill, the next start finishes that. Call it once the existing state was compared.
 */
export const settleAuthority = async (
  database: Database,
  path: string,
  file: AuthorityFile | undefined,
): Promise<string> => {
  const rows = await readAuthorityRows(database)
  const authority = rows.authority ?? file?.authority ?? randomUUID()
  // Writes the file first, marked as minting, so that the next start can tell a kill in between from a loss.
  if (file === undefined) await writeFileAtomic(path, toJson({authority, minting: true}))
  if (rows.authority === undefined) {
    await database.write([
      {sql: "INSERT INTO svc_meta (key, value) VALUES ('authority', ?)", args: [authority]},
      ...stampingEvents(database, authority),
    ])
  }
  if (file?.minting !== false) await writeFileAtomic(path, toJson({authority}))
  return authority
}

/** Returns the statements that stamp the event log with an authority. None for a schema without the stamp. */
export const stampingEvents = (database: Pick<Database, "state">, authority: string): readonly Statement[] =>
  schemaOf(database) < stampedSince ? [] : [{sql: "UPDATE event_retention SET authority = ?", args: [authority]}]

/** Reads the authority from the file; undefined without one. Throws `authority_mismatch` if its content is invalid. */
export const readAuthorityFile = async (file: string): Promise<AuthorityFile | undefined> => {
  const text = await readFileIfExists(file)
  if (text === undefined) return undefined
  const record = parseRecord(text)
  if (record !== undefined) return record
  throw new Problem("authority_mismatch", `${file} contains no valid authority: it was damaged or edited`, {
    hint: "Restore it from the same backup as the database. Or delete it: the next start says what it must contain.",
  })
}

const parseRecord = (text: string): AuthorityFile | undefined => {
  try {
    const json: unknown = fromJson(text)
    if (typeof json !== "object" || json === null || !("authority" in json)) return undefined
    if (typeof json.authority !== "string") return undefined
    return {authority: json.authority, minting: "minting" in json && json.minting === true}
  } catch {
    return undefined
  }
}
