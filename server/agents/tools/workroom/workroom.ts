import {commandBodies} from "../../../../shared/api/workroom.ts"
import {Closed, Optional, type Static, type TObject, Type} from "../../../../shared/type.ts"
import type {ItemCommand} from "../../../workroom/store/transitions.ts"
import {commandOnce} from "../../runs/items.ts"
import type {AgentTool, ToolUse} from "../../runs/tool.ts"
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
      const added = await workroom.run({
        actor: run.actor,
        item: 0,
        command: {
          is: "add",
          title: given.title,
          description: given.description ?? "",
          priority: given.priority ?? "normal",
          labels: given.labels ?? [],
          assignee: null,
          conversation: endpoint === undefined || channel === undefined ? null : {endpoint, channel},
          request: key,
        },
      })
      return lineOf(added)
    },
  })

const text = (description: string) => Type.String({minLength: 1, maxLength: 4000, pattern: "\\S", description})

/** The parameters of a command that needs only an item. */
const OfItem = Closed({item: ItemNumber})

interface ChangeTool<A extends TObject> extends Omit<WorkroomTool<A>, "run"> {
  readonly name: ItemCommand["is"]
  command(args: Static<A>, use: ToolUse): ItemCommand
}

/** Runs the command once per key of the call. Throws the workroom's refusals. */
const changeTool = <A extends TObject>(workroom: WorkroomSide, {command, ...tool}: ChangeTool<A>): AgentTool =>
  workroomTool("idempotent", {
    ...tool,
    run: async (args, use) => {
      const {item} = use.args as Static<typeof OfItem>
      const {key: request, run} = use
      return lineOf(await commandOnce(workroom, {actor: run.actor, item, request, command: command(args, use)}))
    },
  })

/** Returns the tools that change items. An agent never accepts its own work, so there is no tool for that. */
const changeTools = (workroom: WorkroomSide): readonly AgentTool[] => [
  changeTool(workroom, {
    name: "claim",
    description: "Claims a work item: it becomes active, and you become its assignee.",
    parameters: OfItem,
    command: (_, {run}) => ({is: "claim", assignee: run.actor}),
  }),
  changeTool(workroom, {
    name: "comment",
    description: "Comments on a work item.",
    parameters: Closed({item: ItemNumber, text: text("The comment.")}),
    command: ({text: said}) => ({is: "comment", text: said}),
  }),
  changeTool(workroom, {
    name: "block",
    description: "Marks an active work item as blocked.",
    parameters: Closed({
      item: ItemNumber,
      reason: text("What the work item is waiting for."),
      until: Optional.String({format: "date-time", description: "When the block should have ended."}),
    }),
    command: ({reason, until}) => ({
      is: "block",
      reason,
      owner: null,
      deadline: until === undefined ? null : new Date(until).toISOString(),
    }),
  }),
  changeTool(workroom, {
    name: "unblock",
    description: "Unblocks a work item: it becomes active again.",
    parameters: OfItem,
    command: () => ({is: "unblock"}),
  }),
  changeTool(workroom, {
    name: "review",
    description: "Submits an active work item for review by a person.",
    parameters: OfItem,
    command: () => ({is: "review"}),
  }),
  changeTool(workroom, {
    name: "cancel",
    description: "Cancels a work item that nobody needs to do.",
    parameters: Closed({item: ItemNumber, reason: Type.Optional(text("Why."))}),
    permission: "admin",
    command: ({reason}) => ({is: "cancel", reason: reason ?? null}),
  }),
]

/** Returns the workroom's commands as tools. The agent is the actor, and learns from svc what the workroom refuses. */
export const workroomTools = (workroom: WorkroomSide): readonly AgentTool[] => [
  listTool(workroom),
  showTool(workroom),
  addTool(workroom),
  ...changeTools(workroom),
]
