import type {Raise} from "../../../shared/events/events.ts"
import type {Issue} from "../../../shared/problems.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Failure} from "../../generation/generation.ts"
import {Generations} from "../../generation/generations.ts"
import {GenerationHistory} from "../../generation/history.ts"
import type {Instance} from "../../generation/instances/instance.ts"
import type {PluginStarts} from "../../generation/instances/starts.ts"
import {foldersOf} from "../../generation/kinds/page.ts"
import {writeLastCommitted} from "../../generation/last-committed.ts"
import type {BuiltIns} from "../../generation/plugins/load.ts"
import type {RunningGeneration} from "../../generation/running-generation.ts"
import type {Watcher} from "../../generation/watch.ts"
import type {RecoveryPart} from "../../recovery/part/part.ts"
import {systemClock} from "../../runtime/flow/clock.ts"
import {hashLockfile} from "../../runtime/packages/lockfile.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {jobDefaultProblem} from "../../scheduler/job-defaults.ts"
import type {HostOptions} from "../open/host.ts"
import type {OpenProject} from "../open/open.ts"
import {createLoader} from "../plugins/built-in-plugins.ts"
import {createPluginHost, type PluginHostOptions} from "./plugin-host.ts"
import {createSaveBefore} from "./save-before.ts"

export interface HostGenerationsOptions
  extends Pick<PluginHostOptions, "outbox" | "timers" | "files" | "languageOf" | "agents"> {
  readonly host: HostOptions
  readonly runtime: Runtime
  readonly opened: OpenProject
  /** Plugins that belong to parts of this Host. */
  readonly plugins: BuiltIns
  readonly endpoints: Endpoints
  readonly starts: PluginStarts
  readonly running: RunningGeneration
  readonly raise: Raise
  readonly recovery: Pick<RecoveryPart, "hide" | "learn" | "checkpoints">
  /** Watches the project's files; undefined if nothing does. */
  readonly watcher: Watcher | undefined
}

/** Creates the generations of a Host, without starting the first one. */
export const createGenerations = (options: HostGenerationsOptions): Generations => {
  const {host, runtime, opened, plugins, endpoints, starts, running, raise, recovery, watcher} = options
  const {mode, logs, signal} = host
  const {paths, database, runtimeId, boot, readVariables, lastGood} = opened
  const loader = createLoader(host, runtime, paths, plugins, lastGood?.plugins)
  const generations = new Generations({
    project: paths.project,
    boot,
    ...(lastGood === undefined ? {} : {lastGood}),
    database,
    loader,
    log: logs.log,
    runtimeId,
    configFile: paths.config,
    history: new GenerationHistory(database),
    endpoints,
    jobDefaultProblem,
    host: createPluginHost({...options, database, clock: host.clock ?? systemClock}),
    mayChangeCode: mode !== "production",
    readVariables,
    readLockfile: () => hashLockfile(paths.project),
    signal,
    hide: values => {
      logs.hide(values)
      recovery.hide(values)
    },
    saveBefore: createSaveBefore(recovery, opened, logs.log),
    running,
    onState: instance => {
      tellState(raise, instance)
      if (instance.state.is === "active") starts.activated(instance)
    },
    onFail: failure => tellFailure(raise, failure),
  })
  running.onCommit(generation => {
    const {number, reason, config, instances, snapshot} = generation
    logs.setLevel(config.config.log_level)
    logs.bind({generation: number})
    watcher?.add(instances.flatMap(({plugin}) => plugin.files))
    watcher?.add(foldersOf(snapshot.pages).map(({folder}) => folder))
    logs.log.info(
      lastGood === undefined ? `generation ${number} committed (${reason})` : `generation ${number} runs again`,
    )
    // A database file is always there; a remote database may be unreachable at the next start.
    if (database.location.dialect === "sqlite") return
    writeLastCommitted(paths.generation, generation, running.pin).catch(error =>
      logs.log.warn("the Host could not record the generation for a start without the database", {error}),
    )
  })
  return generations
}

const tellState = (raise: Raise, {id, name, state}: Instance): void => {
  if (state.is === "starting") return
  const {since: _, is, ...thrown} = state
  raise("plugin.state", {plugin: name, instance: id, state: is, ...thrown})
}

/** The highest number of issues of one failure that an event carries. */
const mostIssues = 20

const tellFailure = (raise: Raise, {reason, problem}: Failure): void => {
  const {code, message, issues} = problem
  const data = {reason, code, detail: message, issues: issues.slice(0, mostIssues).map(positionOf)}
  if (/^config_|^restart_required$/.test(code)) raise("configuration.refused", data)
  raise("generation.failed", data)
}

const positionOf = ({file, line, column, path, message}: Issue) => ({
  file,
  line,
  column,
  ...(path === undefined || path === "" ? {} : {path}),
  message,
})
