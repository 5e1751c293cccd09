import type {AgentTool} from "../tool.ts"
import {addTool} from "./add.ts"
import {changeTools} from "./change.ts"
import {listTool, showTool, type WorkroomSide} from "./items.ts"

/** The commands of the workroom as tools. The agent is the actor; a refusal of the workroom is what the model is told. */
export const workroomTools = (workroom: WorkroomSide): readonly AgentTool[] => [
  listTool(workroom),
  showTool(workroom),
  addTool(workroom),
  ...changeTools(workroom),
]
