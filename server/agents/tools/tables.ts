import type {Snapshot} from "../../generation/generation.ts"
import {type BuiltInDeps, builtInTools} from "./built-in.ts"
import {type PluginToolDeps, pluginTool} from "./plugin-tool.ts"
import {type ToolTable, toolTable} from "./table.ts"

/** The tools of generations: svc's own, and what each generation's plugins publish; a table is made once for each snapshot. */
export const createTables = (deps: BuiltInDeps & PluginToolDeps): ((snapshot: Snapshot) => ToolTable) => {
  const builtIns = builtInTools(deps)
  let made: {readonly of: Snapshot; readonly table: ToolTable} | undefined
  return snapshot => {
    if (made?.of !== snapshot) {
      const table = toolTable(builtIns, snapshot.tools, (name, tool) => pluginTool(name, tool, deps))
      made = {of: snapshot, table}
    }
    return made.table
  }
}
