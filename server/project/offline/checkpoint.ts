import {existsSync} from "node:fs"
import {resolve} from "node:path"
import type {Readable} from "node:stream"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {Problem} from "../../../shared/problems.ts"
import {Secret} from "../../../shared/secret.ts"
import {type ConfigText, parseConfig, readEnvironment} from "../../config/load.ts"
import type {Location} from "../../database/database.ts"
import {withDatabase} from "../../database/without-host.ts"
import type {CreateOptions} from "../../recovery/checkpoint/create.ts"
import {hostScratch} from "../../recovery/checkpoint/scratch.ts"
import {CheckpointStore, type StoredCheckpoint} from "../../recovery/checkpoint/store.ts"
import type {Progress} from "../../recovery/files/files.ts"
import {isUntracked} from "../../recovery/restore/kept-configuration.ts"
import {requireUnmixed} from "../../recovery/restore/mismatch.ts"
import {
  planRestore,
  type Restored,
  type RestoreOptions,
  type RestorePlan,
  restoreCheckpoint,
} from "../../recovery/restore/restore.ts"
import type {SecretValues} from "../../recovery/secrets/search.ts"
import {valuesOf} from "../../recovery/secrets/secrets.ts"
import {storeArrival, unpackArrival} from "../../recovery/upload/arrival.ts"
import {verifyCheckpoint} from "../../recovery/verify/verify.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {createAtRest} from "../at-rest.ts"
import {holding, loadStopped, type StoppedOptions} from "../held.ts"
import {requireNotOlder} from "../high-water.ts"
import {requireKnownDatabase} from "../migrate.ts"
import {requireOneHistory} from "../one-history.ts"
import {locationOf, minimumFreeOf} from "../settings.ts"

/** Creates a checkpoint of a stopped project. Throws `checkpoint_failed` and the problems of `createCheckpoint`. */
export const createStopped = (options: StoppedOptions, how: CreateOptions): Promise<StoredCheckpoint> =>
  holding(options, async paths => {
    const loaded = await loadStopped(options)
    const location = locationOf(loaded.config, paths)
    if (location.dialect === "sqlite" && !existsSync(location.file))
      throw new Problem("checkpoint_failed", `there is no data yet: ${location.file} does not exist`)
    return withDatabase(location, async database => {
      await requireKnownDatabase(database, paths)
      const {authority} = await requireOneHistory({paths, config: loaded.config, database})
      await requireNotOlder(database, authority, paths)
      const {id} = await createAtRest({paths, loaded, database, authority, runtimeId: null}, how)
      return new CheckpointStore(paths.checkpoints).get(id)
    })
  })

/** Resolves to the values of a checkpoint's secrets that this environment has. */
export const secretsFor = async (
  {project, environment}: StoppedOptions,
  {manifest}: Pick<StoredCheckpoint, "manifest">,
): Promise<SecretValues> =>
  valuesOf(manifest.secrets, (await readEnvironment(project, environment, process.env)).variables)

export interface Imported {
  readonly id: string
  /** Whether the project already had the checkpoint. */
  readonly isKnown: boolean
}

/** Verifies an archive's checkpoint and stores it in a stopped project, as uploaded. Throws as `storeArrival`. */
export const importStopped = (
  options: StoppedOptions,
  input: string | Readable,
  progress: Progress,
): Promise<Imported> =>
  holding(options, async paths => {
    const store = new CheckpointStore(paths.checkpoints)
    await store.cleanUp()
    const loaded = await loadStopped(options).catch(() => undefined)
    // An empty folder has no configuration; it is in the checkpoint.
    const spare = loaded === undefined ? 0 : minimumFreeOf(loaded.config)
    const secrets = (manifest: Manifest) => secretsFor(options, {manifest})
    const arrival = await unpackArrival(store, input, {spare, secrets, progress})
    const {id, isKnown} = arrival
    try {
      if (isKnown) return {id, isKnown}
      const how = {temporary: hostScratch(paths.temporary), secrets: await secrets(arrival.manifest), progress}
      await storeArrival(store, arrival, await verifyCheckpoint(arrival, how))
      return {id, isKnown}
    } finally {
      await arrival.drop()
    }
  })

/** Returns the location of a restored copy of a remote database. Its token is in SVC_DATABASE_TOKEN. */
export const remoteCopyAt = (url: string): Location => {
  const token = process.env.SVC_DATABASE_TOKEN
  return {dialect: "libsql", url, ...(token === undefined ? {} : {authToken: new Secret(token)})}
}

export interface RestoreRequest extends Pick<RestoreOptions, "dataOnly" | "withPackages" | "progress"> {
  /** Changes nothing, but throws the same problems. */
  readonly dryRun?: boolean
  /** Called with the plan of a dry run, before it may be refused. */
  readonly onPlan?: (plan: RestorePlan) => void
}

/** Restores a checkpoint into a stopped project or an empty folder. Throws the problems of `restoreCheckpoint`. */
export const restoreStopped = (
  options: StoppedOptions,
  checkpoint: Pick<StoredCheckpoint, "folder" | "manifest">,
  {dryRun = false, onPlan = () => {}, ...how}: RestoreRequest,
): Promise<Restored | RestorePlan> =>
  holding(options, async paths => {
    const restore = {...how, ...(await restorePlaces(options, checkpoint, paths))}
    if (!dryRun) return withGitNote(paths, await restoreCheckpoint(checkpoint, restore))
    const plan = await planRestore(checkpoint, restore)
    onPlan(plan)
    await requireUnmixed(checkpoint, plan, restore)
    return plan
  })

/** Adds a note if git shows the kept configuration, because that prevents a release and a rollback of the code. */
export const withGitNote = async ({project}: ProjectPaths, restored: Restored): Promise<Restored> => {
  const {keptConfiguration: kept, notes} = restored
  if (kept === null || !(await isUntracked(project, kept))) return restored
  const note = `git does not ignore ${kept}: add svc.config.yml.before-* to .gitignore, or delete the file when you no longer need it`
  return {...restored, notes: [...notes, note]}
}

/** Resolves to the location of the present state, and to that of the restored state. */
export const restorePlaces = async (
  options: StoppedOptions,
  checkpoint: Pick<StoredCheckpoint, "manifest">,
  paths: ProjectPaths,
): Promise<Pick<RestoreOptions, "paths" | "locate" | "replaced">> => {
  const {variables} = await readEnvironment(options.project, options.environment, process.env)
  const {file, dialect} = checkpoint.manifest.database
  const locate = (text: ConfigText): Location => {
    try {
      return locationOf(parseConfig(text, variables).config, paths)
    } catch (cause) {
      // A new machine may lack the secrets, but the manifest has the path of the database.
      if (dialect === "sqlite" && file !== null) return {dialect, file: resolve(paths.project, file)}
      throw cause
    }
  }
  return {paths, locate, replaced: await currentLocation(options, paths)}
}

const currentLocation = (options: StoppedOptions, paths: ProjectPaths): Promise<Location | undefined> =>
  loadStopped(options)
    .then(({config}) => locationOf(config, paths))
    .catch(() => undefined)
