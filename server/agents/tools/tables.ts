import type {Snapshot} from "../../generation/generation.ts"
import {type FetchDeps, fetchTool} from "./fetch/fetch.ts"
import {type PluginToolDeps, pluginTool} from "./plugin-tool.ts"
import {type SearchDeps, searchTool} from "./search.ts"
import {type SendDeps, sendTool} from "./send.ts"
import {type ToolTable, toolTable} from "./table.ts"
import {type TimerDeps, timerTool} from "./timer.ts"
import type {WorkroomSide} from "./workroom/items.ts"
import {workroomTools} from "./workroom/workroom.ts"

interface BuiltInDeps extends SendDeps, FetchDeps, SearchDeps, TimerDeps {
  readonly workroom: WorkroomSide
}

/** Returns the tools of a generation: svc's own, and those of its plugins. Each snapshot has one table. */
export const createTables = (deps: BuiltInDeps & PluginToolDeps): ((snapshot: Snapshot) => ToolTable) => {
  // In the order of the documentation.
  const builtIns = [sendTool(deps), timerTool(deps), searchTool(deps), fetchTool(deps), ...workroomTools(deps.workroom)]
  let made: {readonly of: Snapshot; readonly table: ToolTable} | undefined
  return snapshot => {
    if (made?.of !== snapshot) {
      const table = toolTable(builtIns, snapshot.tools, (name, tool) => pluginTool(name, tool, deps))
      made = {of: snapshot, table}
    }
    return made.table
  }
}
