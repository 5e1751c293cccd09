import {type Issue, Problem} from "../../../shared/problems.ts"
import type {PluginMigration} from "../../../shared/sdk/session/database.ts"
import type {Database, Reader} from "../../database/database.ts"
import {
  cannotBeUndone,
  describeCrossed,
  notePluginIrreversible,
  type PluginCrossing,
  pluginMigration,
  readCrossedByPlugins,
} from "../../database/migrations/irreversible.ts"
import {telling} from "../../events/telling.ts"
import {tableName} from "./plugin-database.ts"

/** A plugin and the migrations that its `setup` declared. */
export interface MigratedPlugin {
  readonly name: string
  readonly migrations: readonly PluginMigration[]
  /** Where its code is, for people. */
  readonly from: string
}

/** The missing migrations of plugins, in order. */
export interface MissingMigrations {
  readonly all: ReturnType<typeof missingOf>
  /** Migrations that need a restore point: they cannot be undone, and there is data that they could destroy. */
  readonly irreversible: readonly PluginCrossing[]
}

type Recorded = Readonly<{name: string; at: number}>

/**
 * Compares the declared migrations with those in the database. Throws `plugin_newer` if the database has one that a
 * plugin does not declare. A plugin that declares no migrations is not checked. Asks `hasData` whether the database
 * contains anything that could be lost.
 */
export const findMissing = async (
  plugins: readonly MigratedPlugin[],
  database: Reader,
  hasData: () => Promise<boolean>,
): Promise<MissingMigrations> => {
  const declaring = plugins.filter(({migrations}) => migrations.length > 0)
  if (declaring.length === 0) return {all: [], irreversible: []}
  const recorded = await readRecorded(database)
  await requireKnown(declaring, recorded, database)
  const all = declaring.flatMap(plugin => missingOf(plugin, recorded.get(plugin.name) ?? []))
  const irreversible = all.flatMap(({plugin, name, irreversible: why}) =>
    why === undefined ? [] : [{plugin, name, why}],
  )
  return {all, irreversible: irreversible.length > 0 && (await hasData()) ? irreversible : []}
}

const readRecorded = async (database: Reader) => {
  const rows = await database.read("SELECT plugin, name, applied_at FROM svc_plugin_migrations ORDER BY applied_at")
  const recorded = rows.map(({plugin, name, applied_at}) => ({plugin, name: String(name), at: Number(applied_at)}))
  return Map.groupBy(recorded, ({plugin}) => String(plugin))
}

export const readApplied = async (database: Reader): Promise<{plugin: string; migrations: string[]}[]> =>
  [...(await readRecorded(database))]
    .map(([plugin, recorded]) => ({plugin, migrations: recorded.map(({name}) => name)}))
    .sort((one, other) => one.plugin.localeCompare(other.plugin))

/** Returns the migrations that the database lacks. `irreversible` is why one cannot be undone; undefined if it can. */
const missingOf = ({name: plugin, migrations}: MigratedPlugin, recorded: readonly Recorded[]) => {
  const names = new Set(recorded.map(({name}) => name))
  return migrations
    .filter(({name}) => !names.has(name))
    .map(({name, up, undo, irreversible}) => ({
      plugin,
      name,
      statements: up(tableName(plugin)).map(sql => ({sql})),
      // A plugin's first migrations destroy nothing. Others might, if they declare nothing.
      irreversible: irreversible ?? (undo === undefined && names.size > 0 ? undeclared : undefined),
    }))
}

const undeclared = "it declares neither undo nor irreversible"

const requireKnown = async (
  plugins: readonly MigratedPlugin[],
  recorded: ReadonlyMap<string, Recorded[]>,
  database: Reader,
): Promise<void> => {
  const unknown = plugins.flatMap(({name: plugin, migrations, from}) => {
    const known = new Set(migrations.map(({name}) => name))
    return (recorded.get(plugin) ?? []).filter(({name}) => !known.has(name)).map(each => ({...each, plugin, from}))
  })
  if (unknown.length === 0) return
  const crossed = (await readCrossedByPlugins(database, 0)).filter(each =>
    unknown.some(({plugin, name}) => each.plugin === plugin && each.name === name),
  )
  const issues = unknown.map(({plugin, name, at, from}): Issue => {
    const message = `the database has ${pluginMigration(plugin, name)}, of ${new Date(at).toISOString()}; this version of the plugin does not`
    return {file: from, line: 1, column: 1, path: `plugins.${plugin}`, message}
  })
  const point = crossed.find(({restorePoint}) => restorePoint !== null)?.restorePoint
  throw new Problem(
    "plugin_newer",
    [...issues.map(({message}) => message), ...crossed.map(describeCrossed)].join("; "),
    {issues, ...(point === undefined ? {} : {hint: goBackTo(String(point))})},
  )
}

const goBackTo = (checkpoint: string): string =>
  `Reinstall the version of the plugin that made it, or restore the earlier data: svc checkpoint restore ${checkpoint} --data-only.`

/** Applies the migrations and their records in one transaction, all or none. Throws which one the database rejects. */
export const applyMissing = async (
  {all, irreversible}: MissingMigrations,
  restorePoint: string | undefined,
  database: Pick<Database, "migrate">,
  signal: AbortSignal,
): Promise<void> => {
  const at = Date.now()
  const parts = all.map(({plugin, name, statements}) => ({
    what: pluginMigration(plugin, name),
    statements: [
      ...statements,
      {sql: "INSERT INTO svc_plugin_migrations (plugin, name, applied_at) VALUES (?, ?, ?)", args: [plugin, name, at]},
    ],
  }))
  const told = [...Map.groupBy(all, ({plugin}) => plugin)].map(([plugin, migrations]) =>
    telling("plugin.migrated", {
      plugin,
      migrations: migrations.map(({name}) => name),
      checkpoint: irreversible.some(each => each.plugin === plugin) ? (restorePoint ?? null) : null,
    }),
  )
  const notes = irreversible.map(each => notePluginIrreversible(each, restorePoint))
  const owners = parts.flatMap(({what, statements}) => statements.map(() => what))
  await database.migrate(
    [...parts.flatMap(({statements}) => statements), ...notes, ...told],
    signal,
    index => owners[index ?? -1] ?? "a plugin's migration",
  )
}

/** Describes which migrations cannot be undone, and why. */
export const describeIrreversible = (migrations: readonly PluginCrossing[]): string =>
  migrations.map(({plugin, name, why}) => cannotBeUndone(pluginMigration(plugin, name), why)).join("; ")
