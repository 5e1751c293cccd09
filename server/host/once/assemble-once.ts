import {resolve} from "node:path"
import {messageOf, Problem, toProblem} from "../../../shared/problems.ts"
import {bindingIssues, searchIssues} from "../../agents/bindings/bindings.ts"
import {standingsOf} from "../../agents/bindings/standings.ts"
import {parseConfig, readConfigText, readEnvironment} from "../../config/load.ts"
import {type Database, openDatabase} from "../../database/database.ts"
import {Endpoints} from "../../endpoints/endpoints.ts"
import {Generations} from "../../generation/generations.ts"
import {GenerationHistory} from "../../generation/history.ts"
import {Loader, type LoaderOptions} from "../../generation/plugins/load.ts"
import {endpointFacts, pluginStates} from "../../http/readiness/facts.ts"
import {createReport} from "../../http/readiness/report.ts"
import {requireProject} from "../../project/settings.ts"
import {Scope} from "../../runtime/flow/scope.ts"
import {hashLockfile} from "../../runtime/packages/lockfile.ts"
import {onLateException} from "../../runtime/process/late-exceptions.ts"
import {projectPaths} from "../../runtime/project.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {uuid} from "../../runtime/uuid.ts"
import {jobDefaultProblem} from "../../scheduler/job-defaults.ts"
import type {HostOptions} from "../open/host.ts"
import {builtIns, sdkPaths} from "../plugins/built-in-plugins.ts"

export interface RunOptions extends Pick<HostOptions, "project" | "mode" | "environment" | "logs"> {
  /** Ends the start early and undoes everything. */
  readonly signal?: AbortSignal
}

/** What a start works with that touches neither the Host's lock nor its database. */
export type Once = Awaited<ReturnType<typeof begin>> & {
  /** What plugins have thrown outside their handlers: a Host would restart the plugin, and later quarantine it. */
  readonly thrown: readonly string[]
}

/** Runs `work`, or `failed` after an error, and then undoes everything. */
export const runOnce = async <T>(
  options: RunOptions,
  runtime: Runtime,
  work: (once: Once) => Promise<T>,
  failed: (failure: ReturnType<typeof failureOf>) => T | Promise<T>,
): Promise<T> => {
  const scope = new Scope((message, error) => options.logs.log.warn(message, {error}))
  const thrown: string[] = []
  scope.defer(onLateException(error => thrown.push(options.logs.scrub(messageOf(error)))))
  try {
    return await work({...(await begin(options, runtime, scope)), thrown})
  } catch (error) {
    return await failed(failureOf(error, options.logs))
  } finally {
    await scope.dispose()
  }
}

const begin = async (options: RunOptions, runtime: Runtime, scope: Scope) => {
  const {mode, environment = mode, logs} = options
  const paths = projectPaths(resolve(options.project))
  await requireProject(paths)
  const runtimeId = uuid()
  const signal = AbortSignal.any([scope.signal, ...[options.signal ?? []].flat()])
  const readVariables = async () => (await readEnvironment(paths.project, environment, process.env)).variables
  return {
    paths,
    runtime,
    runtimeId,
    logs,
    scope,
    signal,
    readVariables,
    readConfig: async () => {
      const loaded = parseConfig(await readConfigText(paths.config), await readVariables())
      logs.hide(loaded.secrets)
      return loaded
    },
    /** Opens a database file until the scope is disposed of. */
    open: async (file: string, open = openDatabase) => {
      const database = await open({dialect: "sqlite", file}, {runtimeId, signal, onLeaseLost: () => {}})
      scope.defer(() => database.close())
      return database
    },
  }
}

/** The failure of a start, without secrets. */
const failureOf = (error: unknown, {scrub}: RunOptions["logs"]) => {
  const {code, message, hint, issues} = toProblem(error, "generation_failed")
  const shown = issues.map(issue => ({...issue, message: scrub(issue.message)}))
  return {ok: false, code, detail: scrub(message), hint, issues: shown} as const
}

interface AssembleOptions extends Once {
  /** A migrated database, to which the generation is committed. */
  readonly database: Database
  /** The id of a restore point with the data before the plugins' migrations. */
  readonly restorePoint: string
  /** Which builds the loader prefers to their source. */
  readonly builds: LoaderOptions["builds"]
  /** The folder for compiled plugins. */
  readonly cache: string
}

/**
 * Commits the first generation of a project without opening an endpoint. `ready` is true if every required component is
 * present and enabled; `warnings` are about agent bindings that are not configured, which do not prevent the commit.
 * Throws the problem that prevents it.
 */
export const assembleOnce = async (options: AssembleOptions) => {
  const {paths, runtime, database, logs, scope} = options
  const startedAt = Date.now()
  const endpoints = new Endpoints({
    receive: () => Promise.reject(new Problem("admission_closed", "a one-shot start admits no events")),
    online: () => {},
  })
  const {builds, cache} = options
  const generations = new Generations({
    project: paths.project,
    database,
    loader: new Loader({runtime, paths, builtIns, builds, cache, sdk: sdkPaths}),
    log: logs.log,
    runtimeId: options.runtimeId,
    configFile: paths.config,
    history: new GenerationHistory(database),
    endpoints,
    jobDefaultProblem,
    mayChangeCode: true,
    readVariables: options.readVariables,
    readLockfile: () => hashLockfile(paths.project),
    signal: options.signal,
    hide: logs.hide,
    // The database is a copy; its origin is the restore point.
    saveBefore: async () => ({id: options.restorePoint, discard: async () => {}}),
  })
  scope.defer(() => generations.stop(0))
  const generation = await generations.start()
  const standings = standingsOf(generation.snapshot, paths.project)
  const {ready, components} = createReport({
    now: Date.now(),
    startedAt,
    authority: undefined,
    generation,
    failure: undefined,
    agents: standings,
    databaseInitialized: database.state.is === "initialized",
    // No endpoint is opened; one that could be opened counts as admitting.
    endpoints: endpoints
      .list()
      .map(({spec, state, ownAdmission}) =>
        endpointFacts({spec, state, ownAdmission: spec.open === undefined ? ownAdmission : {is: "open"}}),
      ),
    plugins: pluginStates(generation),
    required: generation.config.config.http.readiness,
  })
  const {source, config} = generation.config
  const warnings = [...bindingIssues(source, standings), ...searchIssues(source, config)]
  return {generation, ready, components, warnings}
}
