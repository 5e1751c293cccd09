import type {Snapshot} from "../../generation/generation.ts"
import {type BuiltInDeps, builtInTools} from "./built-in.ts"
import {type PluginToolDeps, pluginTool} from "./plugin-tool.ts"
import {type ToolTable, toolTable} from "./table.ts"

/** Returns the tools of a generation: svc's own, and those of its plugins. Each snapshot has one table. */
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
