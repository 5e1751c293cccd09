import {lstat, readdir} from "node:fs/promises"
import {dirname, relative} from "node:path"
import type {ProjectConfig} from "../../shared/config/config.ts"
import {Problem, toProblem} from "../../shared/problems.ts"
import type {FoundDatabase, Location} from "../database/database.ts"
import {type AuthorityRows, readAuthorityRows} from "../events/authority.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {foreignFileHint, jobFileName, missingFile, readJobFile, unstampedFile} from "../scheduler/job-file/job-store.ts"
import {hasHadJobFile, keptJobFile} from "../scheduler/job-file/reconcile-job-file.ts"
import {recordedStore} from "../workroom/open.ts"
import {authorityOfFiles, authorityOfTables, hasFiles} from "../workroom/store/authority.ts"
import {storePaths} from "../workroom/store/segments.ts"
import {type AuthorityFile, readAuthorityFile} from "./authority.ts"
import {type Holder, judgeHolders, restoreAll} from "./judge-holders.ts"

export interface StateSource {
  readonly paths: ProjectPaths
  readonly config: ProjectConfig
  /** Undefined if it cannot be read; then only the other parts are compared. */
  readonly database: FoundDatabase | undefined
}

/** The authorities of the parts of a project's state, before anything changes. */
export interface FoundState {
  readonly holders: readonly Holder[]
  readonly file: AuthorityFile | undefined
  /** The database's authority; undefined if no Host has started with it. */
  readonly authority: string | undefined
}

export const readHolders = async ({paths, config, database}: StateSource): Promise<FoundState> => {
  const rows = database === undefined ? undefined : await readAuthorityRows(database)
  const file = await attempt(() => readAuthorityFile(paths.authority))
  const known = rows?.authority ?? file.value?.authority
  const inFiles = config.workroom.store === "file"
  return {
    holders: [
      ...(database === undefined || rows === undefined ? [] : databaseHolders(database, rows, file.value, paths)),
      fileHolder(file, rows, paths),
      ...(inFiles ? [await filesHolder(database, known, paths)] : []),
      ...(inFiles || database === undefined ? [] : [await tablesHolder(database)]),
      await jobsHolder(database, known, paths),
    ],
    file: file.value,
    authority: rows?.authority,
  }
}

/** Throws `authority_mismatch` or another problem of `judgeHolders`. Changes nothing. */
export const requireOneHistory = async (source: StateSource): Promise<FoundState> => {
  const found = await readHolders(source)
  const problem = judgeHolders(found.holders)
  if (problem !== undefined) throw problem
  return found
}

/**
 * Checks for the file of a local database. Call it before opening: opening creates a missing file, perhaps where a volume is
 * not mounted yet. Throws `authority_mismatch` if this project had a database.
 */
export const requireDatabaseFile = async (location: Location, {project, authority: path}: ProjectPaths) => {
  if (location.dialect !== "sqlite" || !(await isAbsent(location.file))) return
  const known = (await attempt(() => readAuthorityFile(path))).value
  if (known === undefined || known.minting) return
  const [file, folder] = [location.file, dirname(location.file)].map(each => relative(project, each))
  const record = relative(project, path)
  const state = await stateOfFolder(dirname(location.file), `${folder}/`)
  throw new Problem(
    "authority_mismatch",
    `${file} is missing (${state}), but ${record} names the authority ${known.authority}: the database of this project was lost or replaced`,
    {
      hint: `Restore the database: mount the volume of ${folder}/, or run svc checkpoint restore. To start with an empty database, remove ${record} first.`,
    },
  )
}

/** Resolves to whether the file is missing; opening it reports any other error. */
const isAbsent = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => false,
    error => error instanceof Error && "code" in error && error.code === "ENOENT",
  )

const stateOfFolder = async (folder: string, name: string): Promise<string> => {
  const entries = await readdir(folder).catch(() => undefined)
  if (entries === undefined) return `there is no folder ${name}`
  return entries.length === 0 ? `the folder ${name} is empty` : `the folder ${name} has other files`
}

interface Attempt<T> {
  readonly value?: T
  readonly problem?: Problem
}

const attempt = async <T>(read: () => Promise<T>): Promise<Attempt<T>> => {
  try {
    return {value: await read()}
  } catch (error) {
    return {problem: toProblem(error, "state_unwritable")}
  }
}

const databaseHolders = (
  {location}: FoundDatabase,
  {authority, eventLog}: AuthorityRows,
  file: AuthorityFile | undefined,
  {project, authority: path}: ProjectPaths,
): readonly Holder[] => {
  const isLost = authority === undefined && file !== undefined && !file.minting
  return [
    {
      name: "database",
      where: location.dialect === "sqlite" ? relative(project, location.file) : new URL(location.url).host,
      authority,
      ...(isLost ? {problem: databaseLost(path, file.authority)} : {}),
      hint: () => restoreAll,
    },
    {name: "event log", where: "table events", authority: eventLog, hint: () => restoreAll},
  ]
}

const databaseLost = (path: string, authority: string) =>
  new Problem(
    "authority_mismatch",
    `${path} names the authority ${authority}, but the database is new: the database of this project was lost or replaced`,
    {hint: "Restore the database. If it was removed on purpose, remove .svc/authority.json too."},
  )

const fileHolder = (
  {value, problem}: Attempt<AuthorityFile | undefined>,
  rows: AuthorityRows | undefined,
  {project, authority: path}: ProjectPaths,
): Holder => {
  const wrong =
    problem ?? (value === undefined && rows?.authority !== undefined ? fileMissing(path, rows.authority) : undefined)
  return {
    name: "authority file",
    where: relative(project, path),
    authority: value?.authority,
    ...(wrong === undefined ? {} : {problem: wrong}),
    hint: authority =>
      `Restore everything from one checkpoint. If only that file was replaced, put {"authority":"${authority}"} into it.`,
  }
}

const fileMissing = (path: string, authority: string) =>
  new Problem(
    "authority_mismatch",
    `the database has the authority ${authority}, but ${path} is missing: the state folder was lost or replaced`,
    {
      hint: `Restore .svc/ from the backup that the database comes from. If nothing else was in it, put {"authority":"${authority}"} into that file.`,
    },
  )

const restoreFiles = "Restore .svc/ from the backup that the database comes from."

const filesHolder = async (
  database: FoundDatabase | undefined,
  known: string | undefined,
  {project, state}: ProjectPaths,
): Promise<Holder> => {
  const {journal} = storePaths(state)
  const isLost = database !== undefined && (await recordedStore(database)) === "file" && !(await hasFiles(state))
  const lost = `the database says that the work items are in files, but ${journal} is missing: it was lost or replaced`
  return {
    name: "workroom Journal",
    where: relative(project, journal),
    authority: await authorityOfFiles(state, known),
    ...(isLost ? {problem: new Problem("authority_mismatch", lost, {hint: restoreFiles})} : {}),
    hint: () => restoreFiles,
  }
}

const tablesHolder = async (database: FoundDatabase): Promise<Holder> => ({
  name: "workroom Journal",
  where: "table workroom_events",
  authority: await authorityOfTables(database),
  hint: () => restoreAll,
})

const jobsHolder = async (
  database: FoundDatabase | undefined,
  known: string | undefined,
  {jobs}: ProjectPaths,
): Promise<Holder> => {
  const {value, problem} = await attempt(() => readJobFile(jobs))
  const hadFile = database !== undefined && (await hasHadJobFile(database))
  const isKept = value === undefined && database !== undefined && (await keptJobFile(database)) !== undefined
  const isOrphan = problem === undefined && hadFile && !isKept && known !== undefined && value?.authority === undefined
  const wrong = isOrphan ? (value === undefined ? missingFile(known) : unstampedFile(known)) : problem
  return {
    name: "job file",
    where: jobFileName,
    authority: value?.authority,
    ...(wrong === undefined ? {} : {problem: wrong}),
    hint: foreignFileHint,
  }
}
