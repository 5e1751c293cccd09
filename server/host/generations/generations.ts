import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Generation} from "../../generation/generation.ts"
import {Generations} from "../../generation/generations.ts"
import {GenerationHistory} from "../../generation/history.ts"
import {writeLastCommitted} from "../../generation/last-committed.ts"
import {hashLockfile} from "../../generation/lockfile.ts"
import type {Watcher} from "../../generation/watch.ts"
import type {BuiltIns} from "../../plugins/load.ts"
import type {PluginStarts} from "../../plugins/starts.ts"
import {systemClock} from "../../runtime/flow/clock.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {jobDefaultProblem} from "../../scheduler/job-defaults.ts"
import type {HostEvents} from "../assembly/events.ts"
import type {HostRecovery} from "../assembly/recovery.ts"
import type {HostOptions} from "../host.ts"
import type {OpenProject} from "../open.ts"
import {createLoader} from "./built-in-plugins.ts"
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
  /** A generation was committed and swapped in. */
  readonly committed: () => void
  readonly events: Pick<HostEvents, "instanceChanged" | "failed">
  readonly recovery: Pick<HostRecovery, "hide" | "learn" | "checkpoints">
  /** Watches the project's files; undefined if nothing does. */
  readonly watcher: Watcher | undefined
}

/** Creates the generations of a Host, without starting the first one. */
export const createGenerations = (options: HostGenerationsOptions): Generations => {
  const {host, runtime, opened, plugins, endpoints, starts, committed, events, recovery, watcher} = options
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
    saveBefore: createSaveBefore({recovery, database, runtimeId, log: logs.log}),
    onState: instance => {
      events.instanceChanged(instance)
      if (instance.state.is === "active") starts.activated(instance)
    },
    onFail: events.failed,
    onCommit: (generation: Generation) => {
      committed()
      recovery.learn(generation.config)
      logs.setLevel(generation.config.config.log_level)
      logs.bind({generation: generation.number})
      watcher?.add(generation.instances.flatMap(({plugin}) => plugin.files))
      const {number, reason} = generation
      logs.log.info(
        lastGood === undefined ? `generation ${number} committed (${reason})` : `generation ${number} runs again`,
      )
      // A database file is always there; a remote database may be unreachable at the next start.
      if (database.location.dialect === "sqlite") return
      writeLastCommitted(paths.generation, generation, generations.pin).catch(error =>
        logs.log.warn("the Host could not record the generation for a start without the database", {error}),
      )
    },
  })
  return generations
}
