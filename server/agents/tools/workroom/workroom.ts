import type {AgentTool} from "../tool.ts"
import {addTool} from "./add.ts"
import {changeTools} from "./change.ts"
import {listTool, showTool, type WorkroomSide} from "./items.ts"

/**
 * Returns the workroom's commands as tools. The agent is the actor, and svc tells the model what the workroom refuses.
 */
export const workroomTools = (workroom: WorkroomSide): readonly AgentTool[] => [
  listTool(workroom),
  showTool(workroom),
  addTool(workroom),
  ...changeTools(workroom),
]
