import {randomUUID} from "node:crypto"
import {fromJson, toJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import {readFileIfExists, writeFileAtomic} from "../runtime/files.ts"
import {type Database, schemaOf} from "./database.ts"
import type {Statement} from "./engine.ts"
import {versionOf} from "./migrations/migrations.ts"

/** What `.svc/authority.json` holds; `minting` until the database has the same. */
export interface AuthorityFile {
  readonly authority: string
  readonly minting: boolean
}

/** What a database says of the history that it, and what belongs to it, are of. */
export interface AuthorityRows {
  /** Undefined for a database that no Host has started on. */
  readonly authority: string | undefined
  /** Of the event log; undefined before there is one. */
  readonly eventLog: string | undefined
}

/** Of whatever schema up to this version's. */
export const readAuthorityRows = async (database: Pick<Database, "read" | "state">): Promise<AuthorityRows> => {
  const schema = schemaOf(database)
  const text = async (sql: string) => {
    const value = (await database.read(sql))[0]?.value
    return value === null || value === undefined ? undefined : String(value)
  }
  return {
    authority: schema === 0 ? undefined : await text("SELECT value FROM svc_meta WHERE key = 'authority'"),
    eventLog: schema < stampedSince ? undefined : await text("SELECT authority AS value FROM event_retention"),
  }
}

const stampedSince = versionOf("event-authority")

/**
 * The one random id that all of a project's durable state shares: minted at the first start, in a migrated database. For who has
 * compared what is there. A start that was killed while it minted is finished.
 */
export const settleAuthority = async (
  database: Database,
  path: string,
  file: AuthorityFile | undefined,
): Promise<string> => {
  const rows = await readAuthorityRows(database)
  const authority = rows.authority ?? file?.authority ?? randomUUID()
  // The file first, as one that is being minted: a start that is killed in between is told from a loss.
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

/** What makes the event log that of an authority; nothing in a schema that does not stamp it. */
export const stampingEvents = (database: Pick<Database, "state">, authority: string): readonly Statement[] =>
  schemaOf(database) < stampedSince ? [] : [{sql: "UPDATE event_retention SET authority = ?", args: [authority]}]

/** What the file names; undefined where there is none. Throws `authority_mismatch` where it holds no authority. */
export const readAuthorityFile = async (file: string): Promise<AuthorityFile | undefined> => {
  const text = await readFileIfExists(file)
  if (text === undefined) return undefined
  const record = parseRecord(text)
  if (record !== undefined) return record
  throw new Problem("authority_mismatch", `${file} does not hold an authority: it was damaged or edited`, {
    hint: "Restore it from the backup that the database comes from; or remove it, and the next start says what it must hold.",
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
