import {randomUUID} from "node:crypto"
import {join, resolve} from "node:path"
import type {Component} from "../../../shared/api/readiness.ts"
import {type Issue, toProblem} from "../../../shared/problems.ts"
import {type LoadedConfig, parseConfig, readConfigText, readEnvironment} from "../../config/load.ts"
import {type Database, openDatabase} from "../../database/database.ts"
import {projectName, requireProject} from "../../project/settings.ts"
import type {StoredCheckpoint} from "../../recovery/checkpoint/store.ts"
import {makePrivateFolder, removeFolder} from "../../runtime/files.ts"
import {Scope} from "../../runtime/flow/scope.ts"
import {projectPaths} from "../../runtime/project.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {uuid} from "../../runtime/uuid.ts"
import {version} from "../../runtime/version.ts"
import type {HostOptions} from "../open/host.ts"
import {assembleOnce} from "./assemble-once.ts"
import type {OnceStateOptions, TriedCheckpoint} from "./once-checkpoint.ts"

export interface OnceOptions extends Pick<HostOptions, "project" | "mode" | "environment" | "logs"> {
  /** Ends the start early and undoes everything. */
  readonly signal?: AbortSignal
  /** Calls `work` with the checkpoint to use instead of an empty state. */
  readonly withCheckpoint?: (
    work: (checkpoint: Pick<StoredCheckpoint, "folder" | "manifest">) => Promise<void>,
  ) => Promise<void>
}

/** The result of a one-shot start, printed as one line of JSON. */
export type OnceResult = {
  readonly schema: "svc.once/1"
  readonly ok: boolean
  readonly project: string
  readonly version: string
  readonly runtime: string
} & (
  | {
      /** The generation committed; `ok` also requires that the required components are ready. */
      readonly committed: true
      /** The checkpoint of its state; null for an empty state. */
      readonly checkpoint: TriedCheckpoint | null
      readonly plugins: readonly string[]
      readonly endpoints: readonly string[]
      /** The jobs that plugins declare with `plugin.job`, as `<plugin>/<job>`. */
      readonly jobs: readonly string[]
      /** The pages that they publish with `plugin.page`, as `<plugin>/<path>`, whether the configuration lists them or not. */
      readonly pages: readonly string[]
      readonly components: readonly Component[]
      /** Notes for people about valid code that may not do what its author intended. */
      readonly notes: readonly string[]
      /** Agent bindings that are not configured. */
      readonly warnings: readonly Issue[]
    }
  | {
      readonly committed: false
      readonly code: string
      readonly detail: string
      readonly hint: string
      readonly issues: readonly Issue[]
    }
)

/**
 * Assembles the whole runtime without a port, without connecting endpoints and without the project's data. It uses an empty
 * database in `.svc/tmp`, or a restored and migrated copy of a checkpoint, and runs no job. Works beside a running Host.
 * Never rejects because of a fault in the project.
 */
export const startOnce = async (options: OnceOptions, runtime: Runtime): Promise<OnceResult> => {
  const paths = projectPaths(resolve(options.project))
  const head = {
    schema: "svc.once/1",
    project: await projectName(paths),
    version,
    runtime: `${runtime.name} ${runtime.version}`,
  } as const
  const scope = new Scope((message, error) => options.logs.log.warn(message, {error}))
  try {
    return {...head, ...(await assemble(options, runtime, scope))}
  } catch (error) {
    const {code, message, hint, issues} = toProblem(error, "generation_failed")
    const {scrub} = options.logs
    const shown = issues.map(issue => ({...issue, message: scrub(issue.message)}))
    return {...head, ok: false, committed: false, code, detail: scrub(message), hint, issues: shown}
  } finally {
    await scope.dispose()
  }
}

const assemble = async (options: OnceOptions, runtime: Runtime, scope: Scope) => {
  const {project, mode, environment, logs} = options
  const paths = projectPaths(resolve(project))
  await requireProject(paths)
  const scratch = join(paths.temporary, `once-${randomUUID()}`)
  await makePrivateFolder(scratch)
  scope.defer(() => removeFolder(scratch))
  const {log} = logs
  const runtimeId = uuid()
  const signal = options.signal === undefined ? scope.signal : AbortSignal.any([scope.signal, options.signal])
  const readVariables = async () => (await readEnvironment(paths.project, environment ?? mode, process.env)).variables
  const readConfig = async () => {
    const loaded = parseConfig(await readConfigText(paths.config), await readVariables())
    logs.hide(loaded.secrets)
    return loaded
  }
  const open = async (file: string) => {
    const database = await openDatabase({dialect: "sqlite", file}, {runtimeId, signal, onLeaseLost: () => {}})
    scope.defer(() => database.close())
    return database
  }
  const state = {scratch, signal, scope, log, openDatabase: open}
  const {database, checkpoint} = await openState(options, state, readConfig)
  const {generation, ready, components, warnings} = await assembleOnce({
    paths,
    runtime,
    runtimeId,
    database,
    restorePoint: checkpoint?.id ?? "none",
    builds: "current",
    readVariables,
    cache: join(scratch, "plugins"),
    logs,
    signal,
    scope,
  })
  return {
    ok: ready,
    committed: true,
    checkpoint,
    plugins: generation.instances.map(({name}) => name),
    endpoints: generation.snapshot.endpoints.map(({name}) => name),
    jobs: [...generation.snapshot.jobs.keys()],
    pages: generation.instances.flatMap(({name, registrations}) =>
      registrations.pages.map(({path}) => `${name}${path}`),
    ),
    components,
    notes: generation.notes,
    warnings: warnings.map(issue => ({...issue, message: logs.scrub(issue.message)})),
  } as const
}

const openState = async (
  {withCheckpoint}: OnceOptions,
  options: OnceStateOptions,
  readConfig: () => Promise<LoadedConfig>,
): Promise<{database: Database; checkpoint: TriedCheckpoint | null}> => {
  if (withCheckpoint === undefined)
    return {database: await options.openDatabase(join(options.scratch, "data.sqlite")), checkpoint: null}
  // Loaded only here, so that other starts are faster.
  const {openCheckpoint} = await import("./once-checkpoint.ts")
  let opened: Awaited<ReturnType<typeof openCheckpoint>> | undefined
  await withCheckpoint(async checkpoint => {
    opened = await openCheckpoint(checkpoint, await readConfig(), options)
  })
  if (opened === undefined) throw new Error("withCheckpoint did not call back with a checkpoint")
  return {database: opened.database, checkpoint: opened.tried}
}
