import type {PluginDetail, PluginView} from "../../../shared/api/plugin-views.ts"
import {pluginPath} from "../../../shared/ids.ts"
import {isObject} from "../../../shared/json.ts"
import type {RecentCounts} from "../../../shared/metrics/meter.ts"
import {Problem} from "../../../shared/problems.ts"
import type {HandlerFigures, HandlerMeter, LastFailure} from "../../messages/handler-meter.ts"
import {formatPath, type Path} from "../../runtime/text/path.ts"
import type {Generation} from "../generation.ts"
import type {Instance} from "../instances/instance.ts"

/** The instances of a generation, then the plugins that its configuration disables. */
export const viewPlugins = (generation: Generation, handlers: HandlerMeter): PluginView[] => {
  const disabled = Object.entries(generation.config.config.plugins)
    .filter(([, entry]) => !entry.enabled)
    .map(([name]): PluginView => ({name, owner: pluginPath(name), state: "disabled", capabilities: []}))
  return [...generation.instances.map(instance => viewInstance(generation, instance, handlers)), ...disabled]
}

/** One plugin, with its settings and their places in the file. Throws `plugin_unknown`. */
export const viewPlugin = (generation: Generation, handlers: HandlerMeter, name: string): PluginDetail => {
  const view = viewPlugins(generation, handlers).find(plugin => plugin.name === name)
  if (view === undefined) throw new Problem("plugin_unknown", `the running generation has no plugin "${name}"`)
  const instance = generation.instances.find(each => each.name === name)
  const placeOf = (path: Path) => {
    const {file, line, column} = generation.config.source.issue(path, "", "key")
    return {file, line, column}
  }
  const at = ["plugins", name, "config"]
  return {
    ...view,
    key: formatPath(["plugins", name]),
    place: placeOf(["plugins", name]),
    schema: instance?.plugin.definition.config ?? null,
    // For a plugin that was not loaded, it is unknown which settings are secrets.
    ...(instance === undefined ? {} : {config: instance.config}),
    written: keysOf(generation.config.config.plugins[name]?.config).map(path => ({
      path: formatPath(path),
      ...placeOf([...at, ...path]),
    })),
  }
}

const viewInstance = (
  generation: Generation,
  {name, path, state, plugin}: Instance,
  handlers: HandlerMeter,
): PluginView => ({
  name,
  owner: path,
  state: state.is,
  since: new Date(state.since).toISOString(),
  ...("error" in state ? {error: state.error} : {}),
  ...("at" in state && state.at !== undefined ? {at: state.at} : {}),
  origin: plugin.origin,
  from: plugin.from,
  ...(plugin.definition.description === undefined ? {} : {description: plugin.definition.description}),
  capabilities: generation.snapshot.capabilities
    .filter(({owner}) => owner === path)
    .map(({owner: _, ...capability}) => capability),
  ...viewHandlers(handlers.of(path)),
})

const viewHandlers = (figures: HandlerFigures | undefined): Pick<PluginView, "handlers"> => {
  if (figures === undefined) return {}
  const {recent, lastFailure} = figures
  const now = performance.now()
  const sum = (counts: RecentCounts, minutes: number) =>
    counts.last(minutes, now).reduce((one, other) => one + other, 0)
  const of = (minutes: number) => ({ended: sum(recent.ended, minutes), failed: sum(recent.failed, minutes)})
  return {
    handlers: {
      hour: of(60),
      day: of(24 * 60),
      failures: [...recent.failed.last(60, now)],
      lastFailure: viewFailure(lastFailure),
      slowest: figures.slowest() ?? null,
    },
  }
}

const viewFailure = (failure: LastFailure | undefined) => {
  if (failure === undefined) return null
  const {at, place, ...known} = failure
  return {...known, at: new Date(at).toISOString(), ...(place === undefined ? {} : {place})}
}

/** The paths of the keys without keys below them. */
const keysOf = (value: unknown, path: Path = []): Path[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([key, below]) => keysOf(below, [...path, key]))
    : path.length === 0
      ? []
      : [path]
