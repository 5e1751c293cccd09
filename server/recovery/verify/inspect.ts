import {readFileSync} from "node:fs"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {toJson} from "../../../shared/json.ts"
import {isProblem, messageOf} from "../../../shared/problems.ts"
import {readConfigText} from "../../config/load.ts"
import {parseSource} from "../../config/text/source.ts"
import {type Database, type Location, openDatabase, schemaOf} from "../../database/database.ts"
import {newestSchema} from "../../database/migrations/migrations.ts"
import {readNewestGroup} from "../../database/state/group.ts"
import {checkIntegrity} from "../../database/upkeep/maintenance.ts"
import {withDatabase, withoutHost} from "../../database/without-host.ts"
import {readAuthorityRows} from "../../events/authority.ts"
import {piecesOf} from "../../outbox/files/folder.ts"
import {databaseName} from "../checkpoint/create.ts"
import {readMarker} from "../checkpoint/marker.ts"
import type {Progress} from "../files/files.ts"
import {stagedParts} from "../parts/parts.ts"
import {mayHold} from "../secrets/pages.ts"
import {scanDatabase} from "../secrets/scan.ts"
import {SecretSearch, type SecretValues} from "../secrets/search.ts"

/** Resolves to the name of the first secret in a file. Reads it in overlapping pieces, so it may have any size. */
export const findInFile = async (path: string, search: SecretSearch): Promise<string | undefined> => {
  const overlap = Math.max(0, search.longest - 1)
  let end = Buffer.alloc(0)
  for await (const piece of piecesOf(path)) {
    const bytes = Buffer.concat([end, piece])
    const found = search.findIn(bytes)
    if (found !== undefined) return found
    end = overlap === 0 ? end : Buffer.from(bytes.subarray(-overlap))
  }
  return undefined
}

export interface Inspection {
  /** The faults that prevent a restore. */
  readonly findings: readonly string[]
  /** The faults that do not prevent a restore. */
  readonly warnings: readonly string[]
}

/** The copied and compared files of a checkpoint. */
export interface Staged {
  readonly manifest: Manifest
  path(name: string): string | undefined
  readonly secrets: SecretValues
  /** Leaves the copy of the database unmigrated. */
  readonly keepSchema?: boolean
  /** The location of a remote database's copy, restored by its own tool. */
  readonly remoteCopy?: Location
}

/** Finds the faults of a staged checkpoint, and migrates the copy of its database to this version's schema. */
export const inspect = async (staged: Staged, progress: Progress): Promise<Inspection> => {
  const file = staged.path(databaseName)
  const {findings, warnings} = await (file === undefined
    ? inspectRemote(staged, progress)
    : inspectDatabase(file, staged, progress))
  return {findings, warnings: [...warnings, ...(await findInFiles(staged)), ...(await checkConfiguration(staged))]}
}

const inspectRemote = async (staged: Staged, progress: Progress): Promise<Inspection> => {
  const {manifest, remoteCopy} = staged
  const {dialect, restorePoint} = manifest.database
  if (dialect === "libsql" && remoteCopy !== undefined)
    return withDatabase(remoteCopy, async database => {
      progress("checking the database", 0, 0)
      const wrong = wrongIn((await database.read("PRAGMA integrity_check(10)")).map(row => row.integrity_check))
      return wrong.length > 0 ? {findings: wrong, warnings: []} : inspectContent(database, staged, progress)
    })
  const wrong = await checkParts(staged, undefined)
  return dialect === "sqlite"
    ? {findings: [`${databaseName} is missing`, ...wrong], warnings: []}
    : {findings: wrong, warnings: [`the backup ${restorePoint} of the remote database was not checked`]}
}

const inspectContent = async (database: Database, staged: Staged, progress: Progress): Promise<Inspection> => {
  const wrong = await checkDatabase(database, staged.manifest)
  if (wrong.length > 0) return {findings: wrong, warnings: []}
  progress("checking jobs and workroom", 0, 0)
  const findings = await checkParts(staged, database)
  let rows = 0
  const leaks = await scanDatabase(database, new SecretSearch(staged.secrets), count => {
    rows += count
    progress("searching for secrets, rows", rows, 0)
  })
  const shown = leaks.map(({table, row, column, secret}) => `${table} ${row} holds the value of ${secret} (${column})`)
  return {findings, warnings: shown}
}

const inspectDatabase = async (file: string, staged: Staged, progress: Progress): Promise<Inspection> => {
  let found: Inspection = {findings: [], warnings: []}
  try {
    const copy: Location = {dialect: "sqlite", file}
    // Runs before SQLite opens the file: closing a file releases the locks that SQLite has on it in this process.
    const mayLeak = await mayHold(file, new SecretSearch(staged.secrets), (done, total) =>
      progress("searching for secrets", done, total),
    )
    const searched = mayLeak ? staged : {...staged, secrets: {}}
    found = await withDatabase(copy, database => inspectBeside(database, file, searched, progress))
    if (staged.keepSchema === true) return found
    progress("migrating the copy", 0, 0)
    const migrated = await openDatabase(copy, {...withoutHost(), restorePoint: staged.manifest.id})
    await migrated.close()
    return found
  } catch (error) {
    // A full disk is not a fault of the checkpoint.
    if (isProblem(error, "database_full")) throw error
    return {...found, findings: [...found.findings, `${databaseName}: ${messageOf(error)}`]}
  }
}

/**
 * Checks the content while another process checks the pages, each on its own core. The database is open here first, because
 * opening locks the file for a moment. If pages are damaged, only that is reported: it may be why the content was unreadable.
 */
const inspectBeside = async (
  database: Database,
  file: string,
  staged: Staged,
  progress: Progress,
): Promise<Inspection> => {
  progress("checking the database", 0, 0)
  const integrity = checkIntegrity(file)
  const [content] = await Promise.allSettled([inspectContent(database, staged, progress)])
  progress("checking the database", 0, 0)
  const wrong = wrongIn(await integrity)
  if (wrong.length > 0) return {findings: wrong, warnings: []}
  if (content.status === "rejected") throw content.reason
  return content.value
}

const wrongIn = (found: readonly unknown[]): string[] =>
  found
    .map(String)
    .filter(text => text !== "ok")
    .map(text => `${databaseName}: ${text}`)

type Fact = readonly [what: string, found: unknown, said: unknown]

const checkDatabase = async (database: Database, manifest: Manifest): Promise<string[]> => {
  const schema = schemaOf(database)
  if (schema > newestSchema)
    return [`${databaseName} has schema ${schema}; this version of svc supports up to ${newestSchema}`]
  const marker = await readMarker(database)
  const group = await readNewestGroup(database)
  const {authority, eventLog = authority} = await readAuthorityRows(database)
  const whole: readonly Fact[] = [
    ["schema", schema, manifest.database.schema],
    ["authority", authority, manifest.authority],
    ["event log's authority", eventLog, manifest.authority],
  ]
  // The backup of a remote database is older than the marker, so these facts must match only for SQLite.
  const atMarker: readonly Fact[] = [
    ["marker", marker?.id, manifest.id],
    ["time", marker === undefined ? undefined : new Date(marker.at).toISOString(), manifest.createdAt],
    ["generation", marker?.generation, manifest.generation],
    ["last group", group, marker?.group],
    ["parts", toJson(marker?.parts), toJson(manifest.parts)],
  ]
  return [...whole, ...(manifest.database.dialect === "sqlite" ? atMarker : [])]
    .filter(([, found, said]) => found !== said)
    .map(([what, found, said]) => `${databaseName}: its ${what} is ${found}, not ${said}`)
}

const checkParts = async ({manifest, path}: Staged, database: Database | undefined): Promise<string[]> => {
  const findings: string[] = []
  for (const {rule, staged} of stagedParts(manifest, path, database)) {
    const found = await rule.check(staged).catch(error => [messageOf(error)])
    findings.push(...found.map(text => `${rule.name}: ${text}`))
  }
  return findings
}

/** The size up to which a file is read at once, in bytes. */
const small = 256 * 1024

/** Searches the workroom's files and the files of messages, which are data like messages. */
const findInFiles = async ({manifest, path, secrets}: Staged): Promise<string[]> => {
  const search = new SecretSearch(secrets)
  const warnings: string[] = []
  if (search.isEmpty) return warnings
  for (const {path: name, size} of manifest.files.filter(file => /^(workroom|files)\//.test(file.path))) {
    const file = path(name) ?? ""
    // There may be many small ones, each of which would take ten times as long.
    const secret = size <= small ? search.findIn(readFileSync(file)) : await findInFile(file, search)
    if (secret !== undefined) warnings.push(`${name} holds the value of ${secret}`)
  }
  return warnings
}

/** Checks only the syntax: the variables may belong to another machine, so the start checks the rest. */
const checkConfiguration = async ({path}: Staged): Promise<string[]> => {
  const file = path("svc.config.yml")
  if (file === undefined) return ["svc.config.yml is missing"]
  try {
    const {file: name, text} = await readConfigText(file)
    parseSource(name, text)
    return []
  } catch (error) {
    return [`svc.config.yml was already invalid when the checkpoint was made: ${messageOf(error)}`]
  }
}
