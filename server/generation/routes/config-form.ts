import {readdir} from "node:fs/promises"
import type {AvailablePlugin, ConfigForm, ConfiguredPlugin} from "../../../shared/api/configuration/form.ts"
import {namePattern} from "../../../shared/ids.ts"
import {isObject} from "../../../shared/json.ts"
import type {Static} from "../../../shared/type.ts"
import {readApart} from "../../config/apart.ts"
import {parseSource} from "../../config/text/source.ts"
import type {Instance} from "../instances/instance.ts"
import {type Configuration, readConfigFile} from "./edit-config.ts"

/** The plugins that can be named under `plugins`. */
export interface PluginNames {
  /** Plugins that come with svc, used by their names. */
  readonly builtIn: readonly string[]
  /** The folder of the project's plugins. */
  readonly folder: string
}

/** Throws `config_invalid` for a file that cannot be parsed: then the operator must correct the file itself. */
export const readConfigForm = async (configuration: Configuration, names: PluginNames): Promise<ConfigForm> => {
  const {text, ...about} = await readConfigFile(configuration)
  const entries = Object.entries(fieldsOf(fieldsOf(parseSource(about.file, text, await readApart(text)).raw).plugins))
  const instances = configuration.generations.running.current?.instances ?? []
  return {
    ...about,
    plugins: entries.map(([plugin, entry]) => viewEntry(plugin, entry, instances)),
    available: await findAvailable(names, new Set(entries.map(([plugin]) => plugin))),
  }
}

const viewEntry = (plugin: string, entry: unknown, instances: readonly Instance[]): ConfiguredPlugin => {
  const instance = instances.find(({name}) => name === plugin)
  const {use, enabled, config = null, endpoints} = fieldsOf(entry)
  const adapters = [...(instance?.registrations.adapters.values() ?? [])]
  return {
    plugin,
    enabled: enabled !== false,
    ...(typeof use === "string" ? {use} : {}),
    config,
    schema: instance?.plugin.definition.config ?? null,
    accounts: (Array.isArray(endpoints) ? endpoints : []).map(each => {
      const {id, ...settings} = fieldsOf(each)
      return {account: String(id), settings}
    }),
    accountSchema: adapters.find(({account}) => account !== undefined)?.account ?? null,
  }
}

const findAvailable = async (
  {builtIn, folder}: PluginNames,
  used: ReadonlySet<string>,
): Promise<Static<typeof AvailablePlugin>[]> => {
  const files = await readdir(folder).catch(() => [])
  const own = files
    .map(file => file.replace(/\.(ts|js)$/, ""))
    .filter(name => new RegExp(namePattern).test(name) && !builtIn.includes(name))
  const all = [
    ...[...new Set(own)].sort().map(plugin => ({plugin, origin: "project"}) as const),
    ...builtIn.toSorted().map(plugin => ({plugin, origin: "built-in"}) as const),
  ]
  return all.filter(({plugin}) => !used.has(plugin))
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
