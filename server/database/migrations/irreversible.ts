import {fromJson, toJson} from "../../../shared/json.ts"
import type {Engine, Row, Statement} from "../engine.ts"
import type {IrreversibleMigration} from "./migrations.ts"

/**
 * A migration that a database has got and that cannot be undone. The database itself tells of it, so that an older svc, or an
 * older version of the plugin, which does not know the migration, can say what stands between them.
 */
export interface Crossed {
  /** Whose it is; null where it is svc's own. */
  readonly plugin: string | null
  /** The schema that one of svc's own leads to. */
  readonly version: number | null
  readonly name: string
  /** In words: which one it is. */
  readonly what: string
  readonly why: string
  /** What has the data as it was before; null where nobody needed it. */
  readonly restorePoint: string | null
}

const prefix = {own: "irreversible.", plugin: "plugin_irreversible."} as const

const noting = (key: string, note: Readonly<Record<string, unknown>>): Statement => ({
  sql: "INSERT INTO svc_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  args: [key, toJson(note)],
})

export const noteIrreversible = (
  {version, name, irreversible: why}: IrreversibleMigration,
  restorePoint: string | undefined,
): Statement => noting(`${prefix.own}${version}`, {name, why, restorePoint: restorePoint ?? null})

/** A plugin's migration that cannot be undone. */
export interface PluginCrossing {
  readonly plugin: string
  readonly name: string
  readonly why: string
}

export const notePluginIrreversible = ({plugin, name, why}: PluginCrossing, restorePoint: string | undefined) =>
  noting(`${prefix.plugin}${plugin}.${name}`, {plugin, name, why, at: Date.now(), restorePoint: restorePoint ?? null})

/** svc's own above a schema, in their order. */
export const readCrossed = async (database: Pick<Engine, "read">, schema: number): Promise<readonly Crossed[]> =>
  (await readNotes(database, prefix.own))
    .map(ownOf)
    .filter(({version}) => version > schema)
    .sort((one, other) => one.version - other.version)

/** Those of plugins that were applied after a moment, in their order. */
export const readCrossedByPlugins = async (
  database: Pick<Engine, "read">,
  since: number,
): Promise<readonly Crossed[]> =>
  (await readNotes(database, prefix.plugin))
    .map(pluginOf)
    .filter(({at}) => at > since)
    .sort((one, other) => one.at - other.at)
    .map(({at: _, ...crossed}) => crossed)

const readNotes = (database: Pick<Engine, "read">, start: string): Promise<readonly Row[]> =>
  database.read("SELECT key, value FROM svc_meta WHERE key GLOB ? ORDER BY key", [`${start}*`])

/** As noteIrreversible and notePluginIrreversible wrote it. */
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

/** What people are told of one of svc's own migrations. */
export const ownMigration = (version: number, name: string): string => `migration ${version} (${name})`

/** What people are told of one of a plugin's. */
export const pluginMigration = (plugin: string, name: string): string => `migration ${name} of plugin ${plugin}`

/** In words: which one, and why. */
export const cannotBeUndone = (what: string, why: string): string => `${what} cannot be undone: ${why}`

/** In words, for whoever goes back across it. */
export const describeCrossed = ({what, why, restorePoint}: Crossed): string =>
  `${cannotBeUndone(what, why)}${restorePoint === null ? "" : `; checkpoint ${restorePoint} was made before it`}`
