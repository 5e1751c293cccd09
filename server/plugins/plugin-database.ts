import {Problem} from "../../shared/problems.ts"
import type {PluginDatabase} from "../../shared/sdk/plugin-database.ts"
import {readStatements} from "../../shared/sdk/values.ts"
import type {Database} from "../database/database.ts"

/** A plugin's tables carry its name: `p_<plugin>_<table>`. */
export const tableName =
  (plugin: string) =>
  (table: string): string => {
    if (!/^[a-z][a-z0-9_]*$/i.test(table)) {
      throw new Problem("database_refused", `"${table}" is no name for a table: letters, digits and _ only`)
    }
    return `p_${plugin.replaceAll("-", "_")}_${table}`
  }

export const pluginDatabase = (plugin: string, database: Database): Omit<PluginDatabase, "migrate"> => ({
  table: tableName(plugin),
  read: async (sql, args) => {
    readStatements([args === undefined ? {sql} : {sql, args}])
    return database.read(sql, args)
  },
  write: async statements => {
    await database.write(readStatements(statements))
  },
})
