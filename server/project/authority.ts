import {randomUUID} from "node:crypto"
import {isObject, toJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {setMeta} from "../database/state/meta.ts"
import {readAuthorityRows, stampingEvents} from "../events/authority.ts"
import {isThere, readJsonIfExists, writeFileAtomic} from "../runtime/files.ts"

/** The content of `.svc/authority.json`. `minting` is true until the database has the same authority. */
export interface AuthorityFile {
  readonly authority: string
  readonly minting: boolean
}

/**
 * Settles the one random id that all durable state of a project shares. The first start mints it in a migrated
 * database; after a kill, the next start finishes that. Call it once the existing state was compared.
 */
export const resolveAuthority = async (
  database: Database,
  path: string,
  file: AuthorityFile | undefined,
): Promise<string> => {
  const rows = await readAuthorityRows(database)
  const authority = rows.authority ?? file?.authority ?? randomUUID()
  // Writes the file first, marked as minting, so that the next start can tell a kill in between from a loss.
  if (file === undefined) await writeFileAtomic(path, toJson({authority, minting: true}))
  if (rows.authority === undefined) {
    await database.write([setMeta("authority", authority), ...stampingEvents(database, authority)])
  }
  if (file?.minting !== false) await writeFileAtomic(path, toJson({authority}))
  return authority
}

/** Reads the authority from the file; undefined without one. Throws `authority_mismatch` if its content is invalid. */
export const readAuthorityFile = async (file: string): Promise<AuthorityFile | undefined> => {
  const record = await readJsonIfExists(file)
  if (isObject(record) && typeof record.authority === "string")
    return {authority: record.authority, minting: record.minting === true}
  if (!(await isThere(file))) return undefined
  throw new Problem("authority_mismatch", `${file} contains no valid authority: it was damaged or edited`, {
    hint: "Restore it from the same backup as the database. Or delete it: the next start says what it must contain.",
  })
}
