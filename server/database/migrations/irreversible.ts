import {fromJson, toJson} from "../../../shared/json.ts"
import type {Reader, Row, Statement} from "../engine/engine.ts"
import {setMeta} from "../state/meta.ts"
import type {IrreversibleMigration} from "./migrations.ts"

/**
 * An applied migration that cannot be undone. The database itself records it, so that an older svc, or an older version
 * of the plugin that does not know the migration, can say what prevents going back.
 */
export interface Crossed {
  /** The plugin that owns it; null for svc's own migrations. */
  readonly plugin: string | null
  /** The schema version that svc's own migration leads to. */
  readonly version: number | null
  readonly name: string
  /** Which migration it is, in words. */
  readonly what: string
  readonly why: string
  /** What has the earlier data; null if there was nothing to save. */
  readonly restorePoint: string | null
}

const prefix = {own: "irreversible.", plugin: "plugin_irreversible."} as const

export const noteIrreversible = (
  {version, name, irreversible: why}: IrreversibleMigration,
  restorePoint: string | undefined,
): Statement => setMeta(`${prefix.own}${version}`, toJson({name, why, restorePoint: restorePoint ?? null}))

/** A plugin's migration that cannot be undone. */
export interface PluginCrossing {
  readonly plugin: string
  readonly name: string
  readonly why: string
}

export const notePluginIrreversible = ({plugin, name, why}: PluginCrossing, restorePoint: string | undefined) =>
  setMeta(
    `${prefix.plugin}${plugin}.${name}`,
    toJson({plugin, name, why, at: Date.now(), restorePoint: restorePoint ?? null}),
  )

/** Returns svc's own irreversible migrations above a schema, in their order. */
export const readCrossed = async (database: Reader, schema: number): Promise<readonly Crossed[]> =>
  (await readNotes(database, prefix.own))
    .map(ownOf)
    .filter(({version}) => version > schema)
    .sort((one, other) => one.version - other.version)

/** Returns the irreversible migrations of plugins that were applied after a moment, in their order. */
export const readCrossedByPlugins = async (database: Reader, since: number): Promise<readonly Crossed[]> =>
  (await readNotes(database, prefix.plugin))
    .map(pluginOf)
    .filter(({at}) => at > since)
    .sort((one, other) => one.at - other.at)
    .map(({at: _, ...crossed}) => crossed)

const readNotes = (database: Reader, start: string): Promise<readonly Row[]> =>
  database.read("SELECT key, value FROM svc_meta WHERE key GLOB ? ORDER BY key", [`${start}*`])

/** Parses the format of noteIrreversible and notePluginIrreversible. */
const parse = <T extends string>(value: Row[string] | undefined) =>
  fromJson(String(value)) as Pick<Crossed, "name" | "why" | "restorePoint"> & Record<T, unknown>

const ownOf = ({key, value}: Row) => {
  const {name, why, restorePoint} = parse(value)
  const version = Number(String(key).slice(prefix.own.length))
  return {plugin: null, version, name, what: ownMigration(version, name), why, restorePoint}
}

const pluginOf = ({value}: Row) => {
  const {name, why, restorePoint, ...rest} = parse<"plugin" | "at">(value)
  const plugin = String(rest.plugin)
  return {at: Number(rest.at), plugin, version: null, name, what: pluginMigration(plugin, name), why, restorePoint}
}

/** Names one of svc's own migrations for people. */
export const ownMigration = (version: number, name: string): string => `migration ${version} (${name})`

/** Names a plugin's migration for people. */
export const pluginMigration = (plugin: string, name: string): string => `migration ${name} of plugin ${plugin}`

/** Says in words which migration it is, and why it cannot be undone. */
export const cannotBeUndone = (what: string, why: string): string => `${what} cannot be undone: ${why}`

/** Describes it for an operator who wants to go back before it. */
export const describeCrossed = ({what, why, restorePoint}: Crossed): string =>
  `${cannotBeUndone(what, why)}${restorePoint === null ? "" : `; checkpoint ${restorePoint} was made before it`}`
