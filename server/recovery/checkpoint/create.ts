import {stat} from "node:fs/promises"
import {basename, isAbsolute, join, relative} from "node:path"
import type {BuildIdentity} from "../../../shared/api/build.ts"
import {type CheckpointFile, checkpointFormat, type Manifest} from "../../../shared/api/checkpoint.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import {findLockfile} from "../../generation/lockfile.ts"
import {freeSpace, tellsOfFullDisk} from "../../runtime/disk.ts"
import {isMissing, syncFolder, writeFileAtomic} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {version} from "../../runtime/version.ts"
import {refuseSecrets} from "../verify/refuse-secrets.ts"
import type {SecretValues} from "../verify/search.ts"
import {copyFile, hashFile, listTree} from "./files.ts"
import {manifestName, sealManifest} from "./manifest.ts"
import {type Marker, marking, readMarker} from "./marker.ts"
import type {Participant} from "./participant.ts"
import {noProgress, type Progress} from "./progress.ts"
import {projectFiles, readCode} from "./provenance.ts"
import type {CheckpointStore, StoredCheckpoint} from "./store.ts"

export const databaseName = "database.sqlite"

/** Room that is left beside the copies, in bytes. */
const reserve = 16 * 1024 * 1024

const roomHint = "Free space, or let svc checkpoint prune remove older checkpoints."

/** What a checkpoint is made of. */
export interface CheckpointSource {
  readonly paths: ProjectPaths
  readonly project: string
  readonly authority: string
  /** Of the Host that runs; null where none does. */
  readonly runtimeId: string | null
  readonly database: Database
  readonly schema: number
  /** Values that must not be in it. */
  readonly secrets: SecretValues
  readonly participants: readonly Participant[]
  /** What runs, or would run. */
  readonly build: BuildIdentity
}

export interface CreateOptions {
  readonly reason: string
  /** Dialect libsql: the id of the backup that its own tool has made. */
  readonly restorePoint?: string
  /** Told the id as soon as there is one. */
  readonly begun?: (id: string) => void
  readonly progress?: Progress
  readonly signal?: AbortSignal
}

/**
 * Makes a checkpoint: whole when it resolves, and nothing of it is left where it rejects. Throws `checkpoint_secret`,
 * `checkpoint_failed`, `restore_point_missing`.
 */
export const createCheckpoint = async (
  store: CheckpointStore,
  source: CheckpointSource,
  options: CreateOptions,
): Promise<StoredCheckpoint> => {
  const {dialect} = source.database.location
  if (dialect === "libsql" && options.restorePoint === undefined)
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
): Promise<StoredCheckpoint> => {
  const at = new Date()
  const {id, folder} = await store.begin(at)
  options.begun?.(id)
  try {
    const {marker, files} = await copyState(source, options, {id, folder, at: at.getTime()})
    const manifest = await describeContent(source, options, marker, files)
    await refuseSecrets(folder, files, source.secrets)
    await syncFolder(folder)
    await writeFileAtomic(join(folder, manifestName), sealManifest(manifest))
    await syncFolder(store.root)
    return await store.get(id)
  } catch (cause) {
    await store.remove(id).catch(() => {})
    if (cause instanceof Problem && cause.code.startsWith("checkpoint_")) throw cause
    throw new Problem("checkpoint_failed", `the checkpoint was not made: ${messageOf(cause)}`, {
      cause,
      ...(tellsOfFullDisk(messageOf(cause)) ? {hint: roomHint} : {}),
    })
  }
}

const requireRoom = async ({root}: CheckpointStore, source: CheckpointSource): Promise<void> => {
  const {location} = source.database
  // Only asked for its size: the live file is opened by nothing but its driver.
  const files = location.dialect === "sqlite" ? ["", "-wal"].map(end => `${location.file}${end}`) : []
  const sizes = await Promise.all([
    ...files.map(file =>
      stat(file).then(
        info => info.size,
        () => 0,
      ),
    ),
    ...source.participants.map(async ({room}) => (await room?.()) ?? 0),
  ])
  const needed = sizes.reduce((sum, size) => sum + size, reserve)
  const free = await freeSpace(root)
  if (free >= needed) return
  const inMib = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`
  throw new Problem(
    "checkpoint_failed",
    `a checkpoint takes up to ${inMib(needed)}, and ${root} has ${inMib(free)} free`,
    {hint: roomHint},
  )
}

interface Point {
  readonly id: string
  readonly folder: string
  readonly at: number
}

/** Everything but the manifest, each file durable. */
const copyState = async (
  source: CheckpointSource,
  {progress = noProgress, signal}: CreateOptions,
  {id, folder, at}: Point,
): Promise<{marker: Marker; files: readonly CheckpointFile[]}> => {
  const {database, participants, paths} = source
  const small: CheckpointFile[] = []
  const marks = new Map<string, unknown>()
  const markAll = async () => {
    for (const name of projectFiles) small.push(...(await copyIfThere(join(paths.project, name), folder, name)))
    for (const participant of participants) marks.set(participant.name, await participant.mark(folder))
    return [marking(id, at, Object.fromEntries(marks))]
  }
  const releases: (() => void)[] = []
  const held = async () => {
    for (const participant of participants) releases.push(await participant.hold())
    return markAll()
  }
  const release = () => {
    for (const each of releases.splice(0)) each()
  }
  progress("copying the database", 0, 0)
  try {
    if (database.location.dialect === "sqlite") {
      const target = join(folder, databaseName)
      const fingerprint = await database.snapshotPoint(target, held, {
        released: release,
        ...(signal === undefined ? {} : {signal}),
      })
      small.push({path: databaseName, ...fingerprint})
    } else {
      await database.write(await held())
    }
  } finally {
    release()
  }
  const marker = await readMarker(database)
  if (marker?.id !== id) throw new Error("another checkpoint was made at the same time")
  progress("copying the other parts", 0, 0)
  for (const participant of participants)
    small.push(...(await participant.complete(folder, marks.get(participant.name))))
  return {marker, files: await listFiles(folder, small)}
}

const copyIfThere = async (from: string, folder: string, name: string): Promise<CheckpointFile[]> => {
  try {
    return [{path: name, ...(await copyFile(from, join(folder, name)))}]
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Every file of the folder, with what is known of it already; its folders are durable. */
const listFiles = async (folder: string, known: readonly CheckpointFile[]): Promise<readonly CheckpointFile[]> => {
  const files: CheckpointFile[] = []
  const byPath = new Map(known.map(file => [file.path, file]))
  for (const {path, kind} of await listTree(folder)) {
    if (kind === "folder") await syncFolder(join(folder, path))
    else files.push(byPath.get(path) ?? {path, ...(await hashFile(join(folder, path)))})
  }
  return files
}

const describeContent = async (
  source: CheckpointSource,
  {reason, restorePoint}: CreateOptions,
  {id, at, generation, parts}: Marker,
  files: readonly CheckpointFile[],
): Promise<Omit<Manifest, "seal">> => {
  const {paths, project, authority, runtimeId, database, schema, secrets, build} = source
  const {location} = database
  const configuration = files.find(({path}) => path === "svc.config.yml")
  if (configuration === undefined) throw new Error("svc.config.yml is not there")
  const lockfile = await findLockfile(paths.project)
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
    // The configuration is in the checkpoint itself.
    code: await readCode(paths.project, process.env, basename(paths.config)),
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
    files: [...files],
  }
}

const hashOf = (files: readonly CheckpointFile[], name: string): string => {
  const found = files.find(({path}) => path === name)
  if (found === undefined) throw new Error(`${name} came while the checkpoint was made`)
  return found.sha256
}

/** Relative to the project; absolute where it is outside of it. */
const relativeTo = (project: string, file: string): string => {
  const path = relative(project, file)
  return path.startsWith("..") || isAbsolute(path) ? file : path
}
