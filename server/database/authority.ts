import {randomUUID} from "node:crypto"
import {Problem} from "../../shared/problems.ts"
import {readFileIfExists, writeFileAtomic} from "../runtime/files.ts"
import type {Database} from "./database.ts"

/** What `.svc/authority.json` holds; `minting` until the database has the same. */
export interface AuthorityFile {
  readonly authority: string
  readonly minting: boolean
}

/**
 * The one random id that all of a project's durable state shares. Minted at the first start, then compared at every
 * start: database and `.svc/authority.json` must name the same one. Throws `authority_mismatch`, naming who differs.
 */
export const settleAuthority = async (database: Database, file: string): Promise<string> => {
  const inFile = await readAuthorityFile(file)
  const inDatabase = await readAuthority(database)
  if (inFile === undefined && inDatabase !== undefined) throw missing(file, inDatabase)
  if (inFile !== undefined && !inFile.minting && inDatabase === undefined) throw databaseLost(file, inFile)
  if (inFile !== undefined && inDatabase !== undefined && inFile.authority !== inDatabase) {
    throw new Problem(
      "authority_mismatch",
      `the database has the authority ${inDatabase}, ${file} names ${inFile.authority}: they belong to two histories`,
    )
  }
  const authority = inFile?.authority ?? randomUUID()
  // The file first, as one that is being minted: a start that is killed in between is told from a loss.
  if (inFile === undefined) await writeFileAtomic(file, JSON.stringify({authority, minting: true}))
  if (inDatabase === undefined) await storeAuthority(database, authority)
  if (inFile?.minting !== false) await writeFileAtomic(file, JSON.stringify({authority}))
  return authority
}

const missing = (file: string, authority: string) =>
  new Problem(
    "authority_mismatch",
    `the database has the authority ${authority}, but ${file} is missing: the state folder was lost or replaced`,
    {
      hint: `Restore .svc/ from the backup that the database comes from. If nothing else was in it, put {"authority":"${authority}"} into that file.`,
    },
  )

const databaseLost = (file: string, {authority}: AuthorityFile) =>
  new Problem(
    "authority_mismatch",
    `${file} names the authority ${authority}, but the database is new: the database of this project was lost or replaced`,
    {hint: "Restore the database. If it was removed on purpose, remove .svc/authority.json too."},
  )

const readAuthority = async (database: Database): Promise<string | undefined> => {
  const [row] = await database.read("SELECT value FROM svc_meta WHERE key = 'authority'")
  return row === undefined ? undefined : String(row.value)
}

const storeAuthority = async (database: Database, authority: string): Promise<void> => {
  await database.write([{sql: "INSERT INTO svc_meta (key, value) VALUES ('authority', ?)", args: [authority]}])
}

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
    const json: unknown = JSON.parse(text)
    if (typeof json !== "object" || json === null || !("authority" in json)) return undefined
    if (typeof json.authority !== "string") return undefined
    return {authority: json.authority, minting: "minting" in json && json.minting === true}
  } catch {
    return undefined
  }
}
