import {agentsPluginName} from "../../../shared/agents/binding.ts"
import {wakeTimer} from "../triggers/plugin.ts"
import {type FetchDeps, fetchTool} from "./fetch/fetch.ts"
import {type SearchDeps, searchTool} from "./search.ts"
import {type SendDeps, sendTool} from "./send.ts"
import {type TimerDeps, timerTool} from "./timer.ts"
import type {AgentTool} from "./tool.ts"
import type {WorkroomSide} from "./workroom/items.ts"
import {workroomTools} from "./workroom/workroom.ts"

export interface BuiltInDeps extends SendDeps, FetchDeps, SearchDeps, Omit<TimerDeps, "wake"> {
  readonly workroom: WorkroomSide
}

/** Returns svc's own tools, in the order of the documentation. */
export const builtInTools = (deps: BuiltInDeps): readonly AgentTool[] => [
  sendTool(deps),
  timerTool({...deps, wake: {plugin: agentsPluginName, timer: wakeTimer}}),
  searchTool(deps),
  fetchTool(deps),
  ...workroomTools(deps.workroom),
]
