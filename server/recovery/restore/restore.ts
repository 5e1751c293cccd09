import {randomUUID} from "node:crypto"
import {existsSync} from "node:fs"
import {readFile, stat} from "node:fs/promises"
import {dirname, join, resolve} from "node:path"
import {fromJson, toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {ConfigText} from "../../config/load.ts"
import {type Database, type Location, openDatabase, openUnmigrated, schemaOf} from "../../database/database.ts"
import {type Crossed, readCrossed, readCrossedByPlugins} from "../../database/migrations/irreversible.ts"
import {newestSchema} from "../../database/migrations/migrations.ts"
import {readMeta} from "../../database/state/meta.ts"
import {withDatabase, withoutHost} from "../../database/without-host.ts"
import {type KeptReason, pausesIn} from "../../endpoints/ingress.ts"
import {
  isThere,
  leavingNoFolders,
  makeFolder,
  makePrivateFolder,
  sha256Of,
  syncFile,
  syncFolder,
  writeNewFile,
} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {databaseName} from "../checkpoint/create.ts"
import {invalidCheckpoint} from "../checkpoint/manifest.ts"
import {stageFiles} from "../checkpoint/stage.ts"
import {noProgress, type Progress} from "../files/files.ts"
import {stagedParts} from "../parts/parts.ts"
import {inspect} from "../verify/inspect.ts"
import {type Adoption, adoptDatabase, type HeldBack} from "./adopt.ts"
import {codeFolders, stageCode} from "./code.ts"
import {
  compareDeployment,
  giveCodeToOwners,
  giveToOwners,
  hasProjectFiles,
  isWritable,
  requireSameDeployment,
} from "./deployment.ts"
import {placeForReplaced} from "./kept-configuration.ts"
import {type Checkpoint, requireUnmixed} from "./mismatch.ts"
import {noteOf, type RollbackPart} from "./rollback-part.ts"
import {finishRestore, type RestoreRecord, recorded, stagingName, swapAll, writeRecord} from "./swap.ts"
import {type Targets, targetsOf} from "./targets.ts"

export interface RestoreOptions {
  readonly paths: ProjectPaths
  /** Returns the database's location by a configuration in this environment. Throws if it names none. */
  readonly locate: (configuration: ConfigText) => Location
  /** The location of the replaced database; undefined if there is none. */
  readonly replaced: Location | undefined
  /** Leaves configuration, package.json and lockfile as they are, even if the code differs. */
  readonly dataOnly?: boolean
  /** Restores package.json and lockfile even if code or packages differ; the code stays as it is. */
  readonly withPackages?: boolean
  readonly progress?: Progress
  /** Rolls back the code too. The database keeps its schema, because the svc of that code migrates it. */
  readonly rollback?: RollbackPart
}

export interface RestorePlan {
  readonly checkpoint: string
  readonly createdAt: string
  readonly authority: string
  /** `restored`, `compared` for a read-only project, or `kept`. */
  readonly projectFiles: "restored" | "compared" | "kept"
  readonly database: string
  /** The database's present schema, null if unknown, and its schema in the checkpoint. */
  readonly schema: {readonly now: number | null; readonly checkpoint: number}
  /** Irreversible migrations that the restore crosses; data stored since they were applied is lost. */
  readonly crossed: readonly Crossed[]
  /** Whether the folder has none of the project's files yet, so that nothing is compared. */
  readonly isNew: boolean
  readonly replacesConfiguration: boolean
  /** The differences in the project's files and code. */
  readonly differences: readonly string[]
  /** The differences in code and packages, which need a rollback, `dataOnly` or `withPackages`. */
  readonly mismatches: readonly string[]
}

export interface Restored extends RestorePlan {
  readonly newAuthority: string
  /** The path of the replaced configuration, relative to the project; null if none was replaced or git has it. */
  readonly keptConfiguration: string | null
  readonly held: HeldBack
  /** The reasons for which ingress was paused at the checkpoint, and stays paused. */
  readonly paused: readonly KeptReason[]
  readonly notes: readonly string[]
}

/** Plans a restore. Throws `database_newer`, `checkpoint_invalid`, and `restore_mismatch` for a read-only project. */
export const planRestore = async ({folder, manifest}: Checkpoint, options: RestoreOptions): Promise<RestorePlan> => {
  const {paths, dataOnly = false} = options
  if (manifest.database.schema > newestSchema) {
    throw new Problem(
      "database_newer",
      `${manifest.id} has schema ${manifest.database.schema}; this version of svc supports up to ${newestSchema}`,
      {hint: `Restore it with svc ${manifest.version}, which made it, or a newer version.`},
    )
  }
  const projectFiles = dataOnly ? "kept" : (await isWritable(paths)) ? "restored" : "compared"
  const isNew = projectFiles === "restored" && !(await hasProjectFiles(paths))
  const differences = isNew ? [] : await compareDeployment(paths, manifest)
  if (projectFiles === "compared") requireSameDeployment(manifest, differences)
  const location = await locate(folder, manifest, options)
  return {
    checkpoint: manifest.id,
    createdAt: manifest.createdAt,
    authority: manifest.authority,
    projectFiles,
    database: location.dialect === "sqlite" ? location.file : location.url,
    ...(await compareSchema(options.replaced, manifest)),
    isNew,
    replacesConfiguration:
      projectFiles === "restored" &&
      differences.some(each => each.of === "configuration") &&
      (await isThere(paths.config)),
    differences: differences.map(({text}) => text),
    mismatches: differences.filter(each => each.of !== "configuration").map(({text}) => text),
  }
}

/** Compares the schemas. An unreadable database does not prevent a restore. */
const compareSchema = async (
  replaced: Location | undefined,
  {createdAt, database: {schema: checkpoint}}: Checkpoint["manifest"],
): Promise<Pick<RestorePlan, "schema" | "crossed">> => {
  const unknown = {schema: {now: null, checkpoint}, crossed: []}
  if (replaced?.dialect !== "sqlite" || !existsSync(replaced.file)) return unknown
  return withDatabase(replaced, async database => {
    const now = schemaOf(database)
    const crossed = async () => [
      ...(await readCrossed(database, checkpoint)),
      ...(await readCrossedByPlugins(database, Date.parse(createdAt))),
    ]
    return {schema: {now, checkpoint}, crossed: now === 0 ? [] : await crossed()}
  }).catch(() => unknown)
}

const locate = async (
  folder: string,
  {id, files, database}: Checkpoint["manifest"],
  {paths, locate: ask, dataOnly}: RestoreOptions,
) => {
  if (dataOnly === true && !existsSync(paths.config)) {
    throw new Problem("restore_refused", `there is no ${paths.config}, which names the database`, {
      hint: "Leave out --data-only: the checkpoint has a configuration.",
    })
  }
  const file = dataOnly === true ? paths.config : join(folder, "svc.config.yml")
  const text = await readFile(file, "utf8").catch(cause => {
    throw invalidCheckpoint(id, messageOf(cause))
  })
  const sha256 = sha256Of(text)
  if (dataOnly !== true && files.find(({path}) => path === "svc.config.yml")?.sha256 !== sha256)
    throw invalidCheckpoint(id, "the content of svc.config.yml has changed")
  const location = ask({file: "svc.config.yml", text, sha256})
  if (location.dialect !== database.dialect)
    throw new Problem(
      "restore_refused",
      `${id} has the dialect ${database.dialect}, but the configuration has ${location.dialect}`,
    )
  return location
}

/**
 * Replaces a project's state by a checkpoint; only for the holder of the lock. After an interruption, `finishRestore` makes
 * the state entirely the old one or entirely the checkpoint's. Throws the problems of `planRestore`, `restore_mismatch` and
 * `restore_refused` without changing anything.
 */
export const restoreCheckpoint = async (checkpoint: Checkpoint, options: RestoreOptions): Promise<Restored> => {
  const {paths, progress = noProgress, rollback} = options
  const {folder, manifest} = checkpoint
  await makePrivateFolder(paths.state)
  const plan = await planRestore(checkpoint, options)
  await requireUnmixed(checkpoint, plan, options)
  const keep = plan.replacesConfiguration ? await placeForReplaced(paths, manifest.id, rollback) : undefined
  const location = await locate(folder, manifest, options)
  const targets = targetsOf({
    paths,
    manifest,
    database: location.dialect === "sqlite" ? location.file : undefined,
    withProjectFiles: plan.projectFiles === "restored",
    keptConfiguration: keep,
  })
  const change = rollback?.code
  const build = change === undefined ? undefined : rollback?.build
  const folders = [
    ...new Set([
      ...targets.folders,
      ...(change === undefined ? [] : codeFolders(change)),
      ...(change === undefined || build === undefined ? [] : [join(change.top, stagingName)]),
    ]),
  ]
  const record: RestoreRecord = {
    state: "staging",
    ...(build === undefined ? {} : {takeBack: true}),
    checkpoint: manifest.id,
    folders: folders.map(each => recorded(paths.project, each)),
    swaps: [],
  }
  await writeRecord(paths, record)
  return leavingNoFolders(folders, async () => {
    let done: Restored | undefined
    try {
      for (const each of folders) for (const name of ["new", "old"]) await makePrivateFolder(join(each, name))
      await stageFiles(folder, manifest, {place: targets.staged, isDurable: true, progress})
      const {held, paused, notes, authority} = await prepare(checkpoint, options, location, targets)
      const state = [...targets.swaps(existsSync)]
      const taken = new Set(state.map(({target}) => resolve(paths.project, target)))
      const {code, git} = change === undefined ? {code: [], git: []} : await stageCode(paths.project, change, taken)
      const built = change === undefined ? [] : ((await build?.(change.top)) ?? [])
      await giveToOwners(paths, [...state, ...git])
      await giveCodeToOwners(paths, [...code, ...built])
      for (const each of folders) await syncFolder(join(each, "new"))
      progress("swapping", 0, 0)
      const swaps = [...state, ...code, ...git, ...built]
      const keptConfiguration = keep === undefined ? null : recorded(paths.project, keep)
      done = {...plan, newAuthority: authority, keptConfiguration, held, paused, notes}
      await swapAll(paths, {
        ...record,
        swaps,
        ...(rollback === undefined ? {} : {rollback: noteOf(manifest, rollback, authority)}),
      })
      return done
    } catch (cause) {
      // Writing the record may have failed after it reached the disk; then the restore is completed.
      if ((await finishRestore(paths)) === "finished" && done !== undefined) return done
      if (cause instanceof Problem) throw cause
      throw new Problem("restore_refused", `nothing was restored: ${messageOf(cause)}`, {cause})
    }
  })
}

/** Checks the staged files and gives them a new authority, durably. */
const prepare = async (
  {manifest}: Checkpoint,
  {replaced, progress = noProgress, rollback}: RestoreOptions,
  location: Location,
  targets: Targets,
) => {
  const names = new Set(manifest.files.map(file => file.path))
  const path = (name: string) => (names.has(name) ? targets.staged(name) : undefined)
  const keepSchema = rollback !== undefined
  const {findings} = await inspect({manifest, path, secrets: {}, keepSchema}, progress)
  if (findings.length > 0) throw invalidCheckpoint(manifest.id, findings.join("; "))
  progress("holding unsent messages and unhandled events", 0, 0)
  const file = path(databaseName)
  const target: Location = file === undefined ? location : {dialect: "sqlite", file}
  const how = {...withoutHost(), restorePoint: manifest.id}
  const database = await (keepSchema ? openUnmigrated(target, how) : openDatabase(target, how))
  try {
    const adoption = await adoptionOf(database, manifest)
    const {held, notes} = await adopt(database, adoption, replaced)
    for (const {rule, staged} of stagedParts(manifest, path, database)) await rule.adopt(staged, adoption)
    await makeFolder(dirname(targets.authority), 0o700)
    await writeNewFile(targets.authority, toJson({authority: adoption.authority}))
    return {held, paused: await pausesIn(database), notes, authority: adoption.authority}
  } finally {
    await database.close()
    if (file !== undefined) await requireWhole(file)
    for (const each of targets.folders) await syncFolder(join(each, "new"))
  }
}

/** Throws if the copy still has data in its log, because the log is not moved with it. */
const requireWhole = async (file: string): Promise<void> => {
  const log = await stat(`${file}-wal`).catch(() => undefined)
  if (log !== undefined && log.size > 0) throw new Error(`could not write the log of ${file} back`)
  await syncFile(file)
}

/** Resolves to the adoption. A remote database keeps the one from an interrupted restore of the same checkpoint. */
const adoptionOf = async (database: Database, {id, authority}: Checkpoint["manifest"]): Promise<Adoption> => {
  const [found = "", restored] = [await readMeta(database, "authority"), await readMeta(database, "restored")]
  if (found === authority) return {authority: randomUUID(), at: Date.now(), checkpoint: id, from: authority}
  const before = restored === undefined ? undefined : (fromJson(restored) as Omit<Adoption, "authority">)
  if (before?.checkpoint === id && before.from === authority) return {...before, authority: found}
  throw new Problem(
    "restore_refused",
    `the database has the authority ${found}, but the checkpoint has ${authority}: they belong to two histories`,
    {hint: "Restore the database's own backup that svc checkpoint show names, then repeat the command."},
  )
}

/** Adopts the database. The replaced state may be damaged, so an unreadable one only adds a note. */
const adopt = async (database: Database, adoption: Adoption, location: Location | undefined) => {
  const replaced = await openReplaced(location, adoption.from)
  try {
    const held = await adoptDatabase(database, adoption, replaced instanceof Error ? undefined : replaced)
    const notes =
      replaced instanceof Error
        ? [`svc cannot read the replaced database, so it does not know which messages were sent: ${replaced.message}`]
        : []
    return {held, notes}
  } finally {
    if (replaced !== undefined && !(replaced instanceof Error)) await replaced.close()
  }
}

const openReplaced = async (
  location: Location | undefined,
  authority: string,
): Promise<Database | Error | undefined> => {
  if (location?.dialect !== "sqlite" || !existsSync(location.file)) return undefined
  try {
    const database = await openUnmigrated(location, withoutHost())
    if ((await readMeta(database, "authority").catch(() => undefined)) === authority) return database
    await database.close()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
