import type {Component} from "../../../shared/api/readiness.ts"
import type {Log} from "../../../shared/log.ts"
import {type Issue, Problem} from "../../../shared/problems.ts"
import {bindingIssues, searchIssues} from "../../agents/bindings/bindings.ts"
import {standingsOf} from "../../agents/bindings/standings.ts"
import type {Variables} from "../../config/expand.ts"
import type {Database} from "../../database/database.ts"
import {Endpoints} from "../../endpoints/endpoints.ts"
import type {Generation} from "../../generation/generation.ts"
import {Generations} from "../../generation/generations.ts"
import {GenerationHistory} from "../../generation/history.ts"
import {endpointFacts, pluginStates} from "../../http/readiness/facts.ts"
import {createReport} from "../../http/readiness/report.ts"
import {Loader, type LoaderOptions} from "../../plugins/load.ts"
import type {Scope} from "../../runtime/flow/scope.ts"
import {hashLockfile} from "../../runtime/packages/lockfile.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {jobDefaultProblem} from "../../scheduler/job-defaults.ts"
import {builtIns, sdkPaths} from "../plugins/built-in-plugins.ts"

export interface AssembleOptions {
  readonly paths: ProjectPaths
  readonly runtime: Runtime
  readonly runtimeId: string
  /** A migrated database, to which the generation is committed. */
  readonly database: Database
  /** The id of a restore point with the data before the plugins' migrations. */
  readonly restorePoint: string
  /** Which builds the loader prefers to their source. */
  readonly builds: LoaderOptions["builds"]
  readonly readVariables: () => Promise<Variables>
  /** The folder for compiled plugins. */
  readonly cache: string
  readonly logs: {readonly log: Log; hide(secrets: readonly string[]): void}
  readonly signal: AbortSignal
  /** Disposing of it undoes everything. */
  readonly scope: Scope
}

export interface AssembledOnce {
  readonly generation: Generation
  /** Whether every required component is present and enabled. */
  readonly ready: boolean
  readonly components: readonly Component[]
  /** Agent bindings that are not configured. They do not prevent the commit. */
  readonly warnings: readonly Issue[]
}

/** Commits the first generation of a project without opening an endpoint. Throws the problem that prevents the commit. */
export const assembleOnce = async (options: AssembleOptions): Promise<AssembledOnce> => {
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
