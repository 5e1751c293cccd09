import {setMaxListeners} from "node:events"
import {agentsPluginName, type Binding} from "../../shared/agents/binding.ts"
import type {ProjectConfig} from "../../shared/config/config.ts"
import {formatIssue, type Issue, messageOf, Problem} from "../../shared/problems.ts"
import {Type} from "../../shared/type.ts"
import {check} from "../config/check.ts"
import {closed} from "../config/close.ts"
import type {Variables} from "../config/expand.ts"
import {type ConfigText, type LoadedConfig, parseUnlessSame} from "../config/load.ts"
import {invalid} from "../config/text/source.ts"
import {most} from "../config/text/yaml-value.ts"
import {TimeLimitExceeded, withTimeLimit} from "../runtime/flow/time-limit.ts"
import {readBindings} from "./agents/bindings.ts"
import type {Generation} from "./generation.ts"
import {Instance, type InstanceOptions} from "./instances/instance.ts"
import {disposeInOrder, setUpInOrder, withTheirProviders} from "./instances/services.ts"
import {fingerprintOf} from "./kinds/adapter/endpoints.ts"
import {type JobDefault, jobDefaultsOf} from "./kinds/job.ts"
import {readHostTexts} from "./languages/project-texts.ts"
import type {Loader} from "./plugins/load.ts"
import type {PluginHost} from "./plugins/plugin-host.ts"
import {findSharedState} from "./shared-state.ts"
import {buildSnapshot} from "./snapshot.ts"
import {explainWaiting} from "./unmet-services.ts"

/** A complete next generation, not yet committed. */
export interface Draft extends Pick<Generation, "config" | "instances" | "snapshot" | "notes"> {
  /** The instances that this draft created; the others are carried over. */
  readonly fresh: readonly Instance[]
  dispose(): Promise<void>
}

export interface DraftOptions extends Pick<InstanceOptions, "project" | "database" | "log" | "onState"> {
  /** The configuration that the Host was started with, if it was read. */
  readonly boot?: LoadedConfig
  readonly loader: Loader
  /** Receives the values of secrets before any code gets them, because an error may contain them. */
  readonly hide: (secrets: readonly string[]) => void
  /** Returns why a plugin's default schedule is not a valid job; undefined if it is. */
  readonly jobDefaultProblem: (declared: JobDefault) => string | undefined
  /** The Host's functions for active plugins; absent if plugins may do nothing. */
  readonly host?: PluginHost
  /** Aborted when the Host stops; a draft in progress is then discarded. */
  readonly signal: AbortSignal
}

type Prepared = Pick<InstanceOptions, "name" | "plugin" | "config">

/**
 * Reads, checks, loads, and runs `setup` of the changed instances. Rejects with all findings at once and undoes
 * everything; the running generation does not change. Throws `config_invalid`, `plugin_invalid`, `plugin_missing`,
 * `plugin_timeout`, `service_missing`, `service_circular`, `stopping`.
 */
export const createDraft = async (
  text: ConfigText,
  variables: Variables,
  previous: Generation | undefined,
  options: DraftOptions,
): Promise<Draft> => {
  const loaded = await parseUnlessSame(previous?.config ?? options.boot, text, variables, options.signal)
  // Each setup listens, and Node 22 reports more than ten listeners as a leak.
  setMaxListeners(0, options.signal)
  options.hide(loaded.secrets)
  const bindings = await readBindings((loaded.config as ProjectConfig).agents, options.project)
  const prepared = [...(await prepareAll(loaded, options)), ...(await prepareAgents(loaded, bindings, options))]
  const unchanged = prepared.flatMap(each => carryOver(each, previous) ?? [])
  const carried = new Map(withTheirProviders(unchanged).map(instance => [instance.name, instance]))
  const instances = prepared.map(each => carried.get(each.name) ?? createInstance(each, options))
  const fresh = instances.filter(instance => !carried.has(instance.name))
  const dispose = () => disposeInOrder(fresh, 0)
  try {
    await setUpAll(loaded, [...carried.values()], fresh, options.signal)
    const host = await readHostTexts(loaded)
    const built = buildSnapshot(loaded, instances, bindings, host.texts, options.log)
    options.hide(built.secrets)
    const issues = [...host.issues, ...built.issues, ...jobDefaultIssues(loaded, instances, options)]
    if (issues.length > 0) throw invalid(issues)
    return {
      config: loaded,
      instances,
      fresh,
      snapshot: built.snapshot,
      notes: [
        ...instances.flatMap(({notes}) => notes),
        ...(await findSharedState(
          options.project,
          prepared.map(({name, plugin}) => ({name, from: plugin.from, files: plugin.files})),
        )),
      ],
      dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Returns the invalid default schedules, each at its plugin. */
const jobDefaultIssues = (
  {source}: LoadedConfig,
  instances: readonly Instance[],
  {jobDefaultProblem}: Pick<DraftOptions, "jobDefaultProblem">,
): readonly Issue[] =>
  instances.flatMap(jobDefaultsOf).flatMap(declared => {
    const problem = jobDefaultProblem(declared)
    if (problem === undefined) return []
    return [source.issue(["plugins", declared.plugin], `job("${declared.name}"): ${problem}`, "key")]
  })

/** How long a plugin's code may take to load, in milliseconds: an `await` at its top level may never end. */
const loadTimeout = 10_000

const explainLoad = (error: unknown): never => {
  if (!(error instanceof TimeLimitExceeded)) throw error
  throw new Problem("plugin_timeout", `it did not load within ${loadTimeout / 1000} s`, {
    hint: "The top-level code of a plugin's files must end. Connect in an adapter's open.",
  })
}

/** Loads enabled plugins, a hundred at once. Rejects with the findings of the first hundred that have any. */
export const prepareAll = async (
  loaded: LoadedConfig,
  {loader, signal, hide}: Pick<DraftOptions, "loader" | "signal" | "hide">,
): Promise<readonly Prepared[]> => {
  const enabled = Object.entries((loaded.config as ProjectConfig).plugins).filter(([, entry]) => entry.enabled)
  const prepare = async ([name, entry]: (typeof enabled)[number]): Promise<Prepared> => {
    const plugin = await withTimeLimit(loadTimeout, ends => loader.load(name, entry, ends), signal).catch(explainLoad)
    const schema = closed(plugin.definition.config ?? Type.Object({}))
    const checked = check(loaded.source, loaded.variables, schema, entry.config ?? {}, ["plugins", name, "config"])
    hide(checked.secrets)
    if (checked.issues.length > 0) throw invalid(checked.issues)
    return {name, plugin, config: checked.value}
  }
  const results: PromiseSettledResult<Prepared>[] = []
  const isBroken = () => results.filter(({status}) => status === "rejected").length >= most.findings
  while (results.length < enabled.length && !isBroken()) {
    const some = enabled.slice(results.length, results.length + most.findings)
    results.push(...(await Promise.allSettled(some.map(prepare))))
  }
  if (signal.aborted) {
    await loader.writes.ends()
    throw new Problem("stopping", "the Host is stopping")
  }
  const failed = results.flatMap((result, index) =>
    result.status === "rejected" ? [{error: result.reason as unknown, name: enabled[index]?.[0] ?? ""}] : [],
  )
  throwAll(failed, loaded)
  return results.flatMap(result => (result.status === "fulfilled" ? [result.value] : []))
}

/** Prepares the plugin of chats with agents: present if an agent is enabled, a new instance if a binding changes. */
const prepareAgents = async (
  loaded: LoadedConfig,
  bindings: ReadonlyMap<string, Binding>,
  {loader}: DraftOptions,
): Promise<readonly Prepared[]> => {
  const enabled = [...bindings.values()].filter(({config}) => config.enabled)
  if (enabled.length === 0) return []
  const name = agentsPluginName
  if (Object.hasOwn(loaded.config.plugins, name)) {
    const why = "this name is reserved for the project's agents: give the plugin another one"
    throw invalid([loaded.source.issue(["plugins", name], why, "key")])
  }
  throwTwice(loaded, enabled)
  return [{name, plugin: await loader.loadBuiltIn(name), config: enabled}]
}

/** Throws if two agents have the same command. */
const throwTwice = ({source}: LoadedConfig, bindings: readonly Binding[]): void => {
  const words = new Map<string, string>()
  for (const {name, config} of bindings) {
    const {command} = config.triggers
    if (command === undefined) continue
    const first = words.get(command)
    words.set(command, name)
    if (first === undefined) continue
    const why = `agents.${first} already has the command "${command}"`
    throw invalid([source.issue(["agents", name, "triggers", "command"], why, "value")])
  }
}

const setUpAll = async (
  loaded: LoadedConfig,
  carried: readonly Instance[],
  fresh: readonly Instance[],
  signal: AbortSignal,
): Promise<void> => {
  const {failed, waiting} = await setUpInOrder(carried, fresh, signal)
  if (signal.aborted) throw new Problem("stopping", "the Host is stopping")
  throwAll(failed.map(({instance, error}) => ({error, name: instance.name})))
  if (waiting.length === 0) return
  const ready = [...carried, ...fresh.filter(instance => !waiting.includes(instance))]
  throw await explainWaiting(loaded, ready, waiting, signal)
}

/** Throws one problem with the issues of all failures. */
const throwAll = (failed: readonly {readonly error: unknown; readonly name: string}[], loaded?: LoadedConfig): void => {
  const [first] = failed
  if (first === undefined) return
  const issues = failed.flatMap(({error, name}) => issuesOf(error, name, loaded)).slice(0, most.findings)
  if (failed.length === 1 && first.error instanceof Problem) {
    const {code, message, hint} = first.error
    throw new Problem(code, message, {cause: first.error.cause, hint, issues})
  }
  const code = first.error instanceof Problem ? first.error.code : "plugin_invalid"
  const text = failed.map(({error, name}) => `plugins.${name}: ${messageOf(error)}`).join("; ")
  throw new Problem(code, text, {cause: first.error, issues})
}

const issuesOf = (error: unknown, name: string, loaded: LoadedConfig | undefined): readonly Issue[] => {
  if (error instanceof Problem && error.issues.length > 0) return error.issues
  return loaded === undefined ? [] : [loaded.source.issue(["plugins", name], messageOf(error), "key")]
}

const fingerprintOfInstance = ({name, plugin, config}: Prepared) =>
  `${name} ${plugin.fingerprint} ${fingerprintOf(config)}`

/** Returns the running instance if neither its code nor its configuration has changed. */
const carryOver = (prepared: Prepared, previous: Generation | undefined): Instance | undefined => {
  const fingerprint = fingerprintOfInstance(prepared)
  return previous?.instances.find(instance => instance.fingerprint === fingerprint && instance.state.is === "active")
}

const createInstance = (prepared: Prepared, {project, database, log, host, onState = () => {}}: DraftOptions) =>
  new Instance({...prepared, fingerprint: fingerprintOfInstance(prepared), project, database, log, host, onState})

/** Describes for people what failed and where, one line each. */
export const describeFailure = (problem: Problem): string =>
  problem.issues.length === 0 ? problem.message : problem.issues.map(formatIssue).join("\n")
