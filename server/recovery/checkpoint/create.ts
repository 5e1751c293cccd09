import {basename, isAbsolute, join, relative} from "node:path"
import type {BuildIdentity} from "../../../shared/api/build.ts"
import {type CheckpointFile, checkpointFormat} from "../../../shared/api/checkpoint.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import {freeSpace, ifThere, lookAt, syncFolder, tellsOfFullDisk} from "../../runtime/files.ts"
import {findLockfile} from "../../runtime/packages/lockfile.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {version} from "../../runtime/version.ts"
import {doApart} from "../files/apart.ts"
import {copyFile, noProgress, type Progress} from "../files/files.ts"
import type {SecretValues} from "../secrets/search.ts"
import type {CompleteRequest, FileToCopy} from "./complete.ts"
import type {Sealed} from "./manifest.ts"
import {type Marker, marking, readMarker} from "./marker.ts"
import type {Participant} from "./participant.ts"
import {projectFiles, readCode} from "./provenance.ts"
import type {CheckpointStore, ListedCheckpoint} from "./store.ts"

export const databaseName = "database.sqlite"

/** The free space to leave besides the copies, in bytes. */
const reserve = 16 * 1024 * 1024

const roomHint = "Free space, or delete older checkpoints with svc checkpoint prune."

export interface CheckpointSource {
  readonly paths: ProjectPaths
  readonly project: string
  readonly authority: string
  /** The id of the running Host; null if none runs. */
  readonly runtimeId: string | null
  readonly database: Database
  readonly schema: number
  /** The values that the checkpoint must not contain. */
  readonly secrets: SecretValues
  readonly participants: readonly Participant[]
  /** Resolves to the build that runs, or would run, and to what runs but is not in the project's files. */
  readonly build: () => Promise<{readonly build: BuildIdentity; readonly changes: readonly string[]}>
}

export interface CreateOptions {
  readonly reason: string
  /** Dialect libsql: the id of the backup that the database's own tool has made. */
  readonly restorePoint?: string
  /** Called with the id as soon as there is one. */
  readonly begun?: (id: string) => void
  readonly progress?: Progress
  /** Aborts the creation and deletes the incomplete checkpoint. */
  readonly signal?: AbortSignal
}

/** If this rejects, nothing remains. Throws `checkpoint_secret`, `checkpoint_failed`, `restore_point_missing`. */
export const createCheckpoint = async (
  store: CheckpointStore,
  source: CheckpointSource,
  options: CreateOptions,
): Promise<ListedCheckpoint> => {
  if (source.database.location.dialect === "libsql" && options.restorePoint === undefined)
    throw new Problem("restore_point_missing", "this project's database is remote")
  const ends: (() => void)[] = []
  try {
    for (const {begin} of source.participants) if (begin !== undefined) ends.push(await begin())
    await requireRoom(store, source)
    return await create(store, source, options)
  } finally {
    for (const end of ends) end()
  }
}

const create = async (
  store: CheckpointStore,
  source: CheckpointSource,
  options: CreateOptions,
): Promise<ListedCheckpoint> => {
  const at = new Date()
  const {id, folder} = await store.begin(at)
  options.begun?.(id)
  try {
    const {marker, known} = await copyState(source, options, {id, folder, at: at.getTime()})
    const manifest = await describeContent(source, options, marker, known)
    const request: CompleteRequest = {folder, manifest, known, secrets: source.secrets}
    const batches = copiesOf(source.participants)
    // The child is a process of the same program.
    const sealed = (await doApart({task: "complete", ...request}, {...options, batches})) as Sealed
    await syncFolder(store.root)
    return await store.describe(id, manifest, sealed)
  } catch (cause) {
    await store.remove(id).catch(() => {})
    if (cause instanceof Problem && cause.code.startsWith("checkpoint_")) throw cause
    throw new Problem("checkpoint_failed", `could not create the checkpoint: ${messageOf(cause)}`, {
      cause,
      ...(tellsOfFullDisk(messageOf(cause)) ? {hint: roomHint} : {}),
    })
  }
}

async function* copiesOf(participants: readonly Participant[]): AsyncGenerator<readonly FileToCopy[]> {
  for (const {copies} of participants) if (copies !== undefined) yield* copies()
}

const requireRoom = async ({root}: CheckpointStore, source: CheckpointSource): Promise<void> => {
  const {location} = source.database
  // Only reads the size: nothing but the driver may open the live file.
  const files = location.dialect === "sqlite" ? ["", "-wal"].map(end => `${location.file}${end}`) : []
  const sizes = await Promise.all([
    ...files.map(file => lookAt(file)?.size ?? 0),
    ...source.participants.map(async ({room}) => (await room?.()) ?? 0),
  ])
  const needed = sizes.reduce((sum, size) => sum + size, reserve)
  const free = await freeSpace(root)
  if (free >= needed) return
  const inMib = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`
  throw new Problem(
    "checkpoint_failed",
    `a checkpoint needs up to ${inMib(needed)}, but ${root} has only ${inMib(free)} free`,
    {hint: roomHint},
  )
}

/** Copies everything but the manifest and the participants' batches, each file durably. */
const copyState = async (
  source: CheckpointSource,
  {progress = noProgress, signal}: CreateOptions,
  {id, folder, at}: {readonly id: string; readonly folder: string; readonly at: number},
): Promise<{marker: Marker; known: readonly CheckpointFile[]}> => {
  const {database, participants, paths} = source
  const small: CheckpointFile[] = []
  const markAll = async () => {
    for (const path of projectFiles) {
      const copied = await ifThere(copyFile(join(paths.project, path), join(folder, path)))
      if (copied !== undefined) small.push({path, ...copied})
    }
    const marks: Record<string, unknown> = {}
    for (const participant of participants) marks[participant.name] = await participant.mark(folder)
    return [marking(id, at, marks)]
  }
  progress("copying the database", 0, 0)
  if (database.location.dialect === "sqlite") {
    const fingerprint = await database.snapshotPoint(join(folder, databaseName), markAll, signal)
    small.push({path: databaseName, ...fingerprint})
  } else await database.write(await markAll())
  const marker = await readMarker(database)
  if (marker?.id !== id) throw new Error("another checkpoint was created at the same time")
  progress("copying the other parts", 0, 0)
  for (const participant of participants) await participant.complete?.(folder)
  return {marker, known: small}
}

const describeContent = async (
  source: CheckpointSource,
  {reason, restorePoint}: CreateOptions,
  {id, at, generation, parts}: Marker,
  files: readonly CheckpointFile[],
): Promise<CompleteRequest["manifest"]> => {
  const {paths, project, authority, runtimeId, database, schema, secrets} = source
  const {location} = database
  const configuration = files.find(({path}) => path === "svc.config.yml")
  if (configuration === undefined) throw new Error("svc.config.yml is missing")
  const lockfile = await findLockfile(paths.project)
  const {build, changes} = await source.build()
  // The checkpoint contains the configuration, so a change to it does not count.
  const code = await readCode(paths.project, process.env, basename(paths.config))
  return {
    format: checkpointFormat,
    id,
    createdAt: new Date(at).toISOString(),
    reason,
    project,
    authority,
    runtimeId,
    generation,
    version,
    build,
    code: changes.length === 0 ? code : {...code, clean: false},
    configuration: {file: configuration.path, sha256: configuration.sha256},
    lockfile: lockfile === undefined ? null : {name: lockfile.name, sha256: hashOf(files, lockfile.name)},
    database: {
      dialect: location.dialect,
      schema,
      file: location.dialect === "sqlite" ? relativeTo(paths.project, location.file) : null,
      restorePoint: restorePoint ?? null,
    },
    parts,
    secrets: Object.keys(secrets).sort(),
  }
}

const hashOf = (files: readonly CheckpointFile[], name: string): string => {
  const found = files.find(({path}) => path === name)
  if (found === undefined) throw new Error(`${name} appeared during the creation of the checkpoint`)
  return found.sha256
}

/** Returns the path relative to the project, or the absolute path if it is outside. */
const relativeTo = (project: string, file: string): string => {
  const path = relative(project, file)
  return path.startsWith("..") || isAbsolute(path) ? file : path
}
