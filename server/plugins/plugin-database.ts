import type {PluginDatabase, PluginMigration} from "../../shared/plugin-database.ts"
import {Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"

/** A plugin's tables carry its name: `p_<plugin>_<table>`. */
const tableName =
  (plugin: string) =>
  (table: string): string => {
    if (!/^[a-z][a-z0-9_]*$/i.test(table)) {
      throw new Problem("database_refused", `"${table}" is no name for a table: letters, digits and _ only`)
    }
    return `p_${plugin.replaceAll("-", "_")}_${table}`
  }

export const pluginDatabase = (plugin: string, database: Database): Omit<PluginDatabase, "migrate"> => ({
  table: tableName(plugin),
  read: (sql, args) => database.read(sql, args),
  write: async statements => {
    await database.write(statements)
  },
})

/** Brings a plugin's tables up to date: each migration once, in order, in one transaction with its record. */
export const migratePlugin = async (
  plugin: string,
  migrations: readonly PluginMigration[],
  database: Database,
  signal: AbortSignal,
): Promise<void> => {
  if (migrations.length === 0) return
  const rows = await database.read("SELECT name FROM svc_plugin_migrations WHERE plugin = ?", [plugin])
  const applied = new Set(rows.map(row => String(row.name)))
  for (const {name, up} of migrations.filter(migration => !applied.has(migration.name))) {
    const record = {
      sql: "INSERT INTO svc_plugin_migrations (plugin, name, applied_at) VALUES (?, ?, ?)",
      args: [plugin, name, Date.now()],
    }
    await database.migrate([...up(tableName(plugin)).map(sql => ({sql})), record], signal)
  }
}
