import {commandBodies} from "../../../../shared/api/workroom.ts"
import type {WorkItemChange} from "../../../../shared/sdk/plugin/work-items.ts"
import {Closed, Optional, type Static, type TObject, Type} from "../../../../shared/type.ts"
import {addFrom, commandFrom} from "../../../workroom/bodies.ts"
import {commandOnce} from "../../../workroom/command-once.ts"
import type {AgentTool} from "../../runs/tool.ts"
import {ItemNumber, lineOf, listTool, showTool, type WorkroomSide, type WorkroomTool, workroomTool} from "./items.ts"

const {title, description, priority, labels} = commandBodies.add.properties

/** Adds an item without an assignee, so that an agent never starts a run of another agent. */
const addTool = (workroom: WorkroomSide): AgentTool =>
  workroomTool("idempotent", {
    name: "add",
    description: "Adds a work item for the team. People decide who works on it.",
    parameters: Closed({title, description, priority, labels}),
    run: async (given, {key, run}) => {
      const {endpoint, channel} = run
      const conversation = endpoint === undefined || channel === undefined ? {} : {conversation: {endpoint, channel}}
      const added = await workroom.run(addFrom(run.actor, {...given, ...conversation, request: key}))
      return lineOf(added)
    },
  })

const text = (description: string) => Type.String({minLength: 1, maxLength: 4000, pattern: "\\S", description})

/** The parameters of a command that needs only an item. */
const OfItem = Closed({item: ItemNumber})

interface ChangeTool<A extends TObject> extends Omit<WorkroomTool<A>, "run"> {
  readonly name: WorkItemChange["is"]
  /** The fields of the change; the call's arguments when left out. */
  fields?(args: Static<A>): object
}

/** Runs the command once per key of the call. Throws the workroom's refusals. */
const changeTool = <A extends TObject>(workroom: WorkroomSide, {fields, ...tool}: ChangeTool<A>): AgentTool =>
  workroomTool("idempotent", {
    ...tool,
    run: async (args, {key: request, run: {actor}, args: given}) => {
      const {item} = given as Static<typeof OfItem>
      const command = commandFrom(actor, {is: tool.name, ...(fields?.(args) ?? (args as object))} as WorkItemChange)
      return lineOf(await commandOnce(workroom, {actor, item, request, command}))
    },
  })

/** Returns the tools that change items. An agent never accepts its own work, so there is no tool for that. */
const changeTools = (workroom: WorkroomSide): readonly AgentTool[] => [
  changeTool(workroom, {
    name: "claim",
    description: "Claims a work item: it becomes active, and you become its assignee.",
    parameters: OfItem,
  }),
  changeTool(workroom, {
    name: "comment",
    description: "Comments on a work item.",
    parameters: Closed({item: ItemNumber, text: text("The comment.")}),
  }),
  changeTool(workroom, {
    name: "block",
    description: "Marks an active work item as blocked.",
    parameters: Closed({
      item: ItemNumber,
      reason: text("What the work item is waiting for."),
      until: Optional.String({format: "date-time", description: "When the block should have ended."}),
    }),
    fields: ({reason, until: deadline}) => ({reason, ...(deadline === undefined ? {} : {deadline})}),
  }),
  changeTool(workroom, {
    name: "unblock",
    description: "Unblocks a work item: it becomes active again.",
    parameters: OfItem,
  }),
  changeTool(workroom, {
    name: "review",
    description: "Submits an active work item for review by a person.",
    parameters: OfItem,
  }),
  changeTool(workroom, {
    name: "cancel",
    description: "Cancels a work item that nobody needs to do.",
    parameters: Closed({item: ItemNumber, reason: Type.Optional(text("Why."))}),
    permission: "admin",
  }),
]

/** Returns the workroom's commands as tools. The agent is the actor, and learns from svc what the workroom refuses. */
export const workroomTools = (workroom: WorkroomSide): readonly AgentTool[] => [
  listTool(workroom),
  showTool(workroom),
  addTool(workroom),
  ...changeTools(workroom),
]
