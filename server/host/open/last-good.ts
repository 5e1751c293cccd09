import {toJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import {isProblem, messageOf, Problem} from "../../../shared/problems.ts"
import {type Database, schemaOf} from "../../database/database.ts"
import type {Generation} from "../../generation/generation.ts"
import {readApplied} from "../../generation/plugins/plugin-migrations.ts"
import type {RunningGeneration} from "../../generation/running-generation.ts"
import {
  clearFailedStarts,
  hasFailedOften,
  keepLastGood,
  type LastGood,
  readFailedStarts,
  readLastGood,
  recordFailedStart,
  speaksAgainst,
} from "../../recovery/last-good/store.ts"
import {ReleaseRecord, releasesOf} from "../../recovery/release/record.ts"
import {Periodic} from "../../runtime/flow/periodic.ts"
import {hashLockfile} from "../../runtime/packages/lockfile.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {version} from "../../runtime/version.ts"
import type {HostOptions} from "./host.ts"
import {mayPass} from "./patience.ts"

/** A generation that stays ready for this long is good, in milliseconds. `lookEvery` is the interval of the checks. */
const goodAfter = 60_000
const lookEvery = 5000

/** The generation that runs instead of the project as it is, and why the project did not start. */
export interface Fallback extends LastGood {
  readonly why: string
}

/** Undefined unless the project has failed to start twice in a row and a last good generation fits. */
export const chooseLastGood = async (
  {mode, logs: {log}}: Pick<HostOptions, "mode" | "logs">,
  paths: ProjectPaths,
): Promise<Fallback | undefined> => {
  if (mode !== "production") return undefined
  const failed = await readFailedStarts(paths)
  if (failed === undefined || !(await hasFailedOften(paths, failed))) return undefined
  const kept = await readLastGood(paths)
  const why = kept === undefined ? "none is kept" : await differenceOf(kept, paths)
  if (kept === undefined || why !== undefined) {
    const point = await newestPoint(paths)
    // A project that never ran for a minute has nothing to fall back to.
    if (kept === undefined && point === undefined) return undefined
    log.error(
      `the project has failed to start ${failed.count} times in a row, and no last good generation fits (${why}); ${wayBack(point)}`,
    )
    return undefined
  }
  log.error(
    `LAST GOOD: the project has failed to start ${failed.count} times in a row (${failed.why}); generation ${kept.generation} runs instead, and the Host is not ready. Correct the project, then: svc runtime restart`,
  )
  return {...kept, why: failed.why}
}

const differenceOf = async (kept: LastGood, {project}: ProjectPaths): Promise<string | undefined> => {
  if (kept.version !== version) return `it ran with svc ${kept.version}, and this is ${version}`
  return kept.lockfile === (await hashLockfile(project)) ? undefined : "it ran with another lockfile"
}

/** The last good generation never changes svc, packages or data; a rollback does. */
const wayBack = (checkpoint: string | undefined): string =>
  `to roll back code and data together: svc rollback ${checkpoint ?? "<checkpoint>; svc checkpoint list names them"}`

/** The checkpoint of the newest release. */
const newestPoint = async ({releases}: ProjectPaths): Promise<string | undefined> => {
  const entries = await new ReleaseRecord(releases).read().catch(() => [])
  return releasesOf(entries, Date.now()).find(({restorePoint}) => restorePoint !== null)?.restorePoint?.checkpoint
}

/** The schema that the data is for: svc's own version, and every plugin's migrations. */
const describeSchema = async (database: Database): Promise<string> =>
  toJson([schemaOf(database), await readApplied(database)])

/** Throws `last_good_unfit`. */
export const requireSameSchema = async ({schema}: LastGood, database: Database, paths: ProjectPaths): Promise<void> => {
  if ((await describeSchema(database)) === schema) return
  throw new Problem(
    "last_good_unfit",
    "the database has another schema than the one that the last good generation ran with",
    {hint: `The project as it is does not start either: correct it. ${wayBack(await newestPoint(paths))}`},
  )
}

/** Counts a failed start if the failure speaks against the project. Never rejects. */
export const countFailedStart = async (
  {mode, logs}: HostOptions,
  paths: ProjectPaths,
  error: unknown,
): Promise<void> => {
  if (mode !== "production" || isProblem(error, "last_good_unfit") || !speaksAgainst(error, mayPass)) return
  const [why = ""] = logs.scrub(messageOf(error)).split("\n")
  await recordFailedStart(paths, why).catch(cause =>
    logs.log.warn(`could not count the failed start: ${messageOf(cause)}`),
  )
}

export interface KeeperOptions {
  readonly paths: ProjectPaths
  readonly database: Database
  readonly running: Pick<RunningGeneration, "current">
  readonly isReady: () => boolean
  readonly log: Log
}

/** Keeps each generation that stays ready for a minute. */
export class LastGoodKeeper {
  readonly #options: KeeperOptions
  readonly #looking: Periodic
  /** On a monotonic clock. */
  #since: {readonly generation: number; readonly at: number} | undefined
  #kept: number | undefined

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#looking = new Periodic(
      lookEvery,
      () => this.#look(),
      error => options.log.warn(`the last good generation was not kept: ${messageOf(error)}`),
    )
  }

  /** The project as it is has started. */
  async start(): Promise<void> {
    const {paths, log} = this.#options
    await clearFailedStarts(paths).catch(error => log.warn(`failed starts still count: ${messageOf(error)}`))
    this.#looking.start()
  }

  stop(): Promise<void> {
    return this.#looking.stop()
  }

  async #look(): Promise<void> {
    const {running, isReady, log} = this.#options
    const generation = running.current
    if (generation === undefined || !isReady()) {
      this.#since = undefined
      return
    }
    const now = performance.now()
    if (this.#since?.generation !== generation.number) this.#since = {generation: generation.number, at: now}
    if (this.#kept === generation.number || now - this.#since.at < goodAfter) return
    await this.#keep(generation)
    this.#kept = generation.number
    log.info(`generation ${generation.number} stayed ready for a minute and is now the last good generation`)
  }

  async #keep({number, committedAt, config, instances}: Generation): Promise<void> {
    const {paths, database} = this.#options
    await keepLastGood(paths, {
      generation: number,
      committedAt,
      config: {text: config.text},
      modules: instances.flatMap(({name, plugin: {module}}) => (module === undefined ? [] : [{name, module}])),
      version,
      lockfile: await hashLockfile(paths.project),
      schema: await describeSchema(database),
    })
  }
}
