import {randomUUID} from "node:crypto"
import {Problem} from "../../shared/problems.ts"
import {readJsonIfExists, writeFileAtomic} from "../runtime/files.ts"
import type {Database} from "./database.ts"

/**
 * The one random id that all of a project's durable state shares. Minted at the first start, then compared at every
 * start: database and `.svc/authority.json` must name the same one. Throws `authority_mismatch`, naming who differs.
 */
export const settleAuthority = async (database: Database, file: string): Promise<string> => {
  const inFile = authorityOf(await readJsonIfExists(file))
  const inDatabase = await readAuthority(database)
  if (inDatabase === undefined && inFile !== undefined) {
    throw new Problem(
      "authority_mismatch",
      `${file} names the authority ${inFile}, but the database is new: the database of this project was lost or replaced`,
      {hint: "Restore the database. If it was removed on purpose, remove .svc/authority.json too."},
    )
  }
  if (inDatabase !== undefined && inFile !== undefined && inDatabase !== inFile) {
    throw new Problem(
      "authority_mismatch",
      `the database has the authority ${inDatabase}, ${file} names ${inFile}: they belong to two histories`,
    )
  }
  const authority = inDatabase ?? (await mintAuthority(database))
  if (inFile === undefined) await writeFileAtomic(file, JSON.stringify({authority}))
  return authority
}

const readAuthority = async (database: Database): Promise<string | undefined> => {
  const [row] = await database.read("SELECT value FROM svc_meta WHERE key = 'authority'")
  return row === undefined ? undefined : String(row.value)
}

const mintAuthority = async (database: Database): Promise<string> => {
  const authority = randomUUID()
  await database.write([{sql: "INSERT INTO svc_meta (key, value) VALUES ('authority', ?)", args: [authority]}])
  return authority
}

const authorityOf = (json: unknown): string | undefined =>
  typeof json === "object" && json !== null && "authority" in json && typeof json.authority === "string"
    ? json.authority
    : undefined
