import {itemStates, partyPattern} from "../../../../shared/api/item-rules.ts"
import type {Item} from "../../../../shared/api/workroom.ts"
import type {Permission} from "../../../../shared/sdk/session/permission.ts"
import {Closed, Optional, type Static, type TObject, Type} from "../../../../shared/type.ts"
import type {Workroom} from "../../../workroom/workroom.ts"
import type {AgentTool, ToolUse} from "../../runs/tool.ts"

export type WorkroomSide = Pick<Workroom, "items" | "item" | "run" | "journalOf">

export const ItemNumber = Type.Integer({minimum: 1, description: "The item's number."})

/** A tool for the workroom, with its name without the prefix. Its permission is `trusted` by default. */
export interface WorkroomTool<A extends TObject> extends Pick<AgentTool, "name" | "description"> {
  readonly parameters: A
  readonly permission?: Permission
  run(args: Static<A>, use: ToolUse): Promise<unknown>
}

/** Returns a tool that only reads items, or one whose command the Journal records once per key. */
export const workroomTool = <A extends TObject>(effect: "none" | "idempotent", tool: WorkroomTool<A>): AgentTool => ({
  permission: "trusted",
  ...tool,
  name: `workroom.${tool.name}`,
  effect,
  approval: false,
  timeout: 30_000,
  run: async use => ({value: await tool.run(use.args as Static<A>, use)}),
})

/** Returns an item for a list, and as the result of a command. */
export const lineOf = ({id, state, title, priority, assignee, labels, blocker}: Item) => ({
  item: id,
  state,
  title,
  priority,
  assignee,
  ...(labels.length === 0 ? {} : {labels}),
  ...(blocker === null ? {} : {blocker}),
})

const mostListed = 50
const usuallyListed = 20
const mostComments = 20

export const listTool = (workroom: WorkroomSide): AgentTool =>
  workroomTool("none", {
    name: "list",
    description: "Lists work items, newest first. Without a state, it lists those that are neither done nor cancelled.",
    parameters: Closed({
      state: Optional.Enum([...itemStates]),
      assignee: Optional.String({pattern: partyPattern, description: "user:<id> or agent:<name>"}),
      label: Optional.String({minLength: 1, maxLength: 50}),
      limit: Optional.Integer({minimum: 1, maximum: mostListed, description: `${usuallyListed} by default.`}),
    }),
    run: async ({state, assignee, label, limit = usuallyListed}) => {
      const found = workroom.items.filter(
        item =>
          (state === undefined ? item.state !== "done" && item.state !== "cancelled" : item.state === state) &&
          (assignee === undefined || item.assignee === assignee) &&
          (label === undefined || item.labels.includes(label)),
      )
      return {items: found.slice(-limit).reverse().map(lineOf), of: found.length}
    },
  })

export const showTool = (workroom: WorkroomSide): AgentTool =>
  workroomTool("none", {
    name: "show",
    description: `Shows one work item with its description and its last ${mostComments} comments.`,
    parameters: Closed({item: ItemNumber}),
    run: async ({item}) => {
      const found = workroom.item(item)
      const {description, conversation, createdAt, createdBy, updatedAt, comments} = found
      const shown = {description, conversation, createdAt, createdBy, updatedAt}
      return {...lineOf(found), ...shown, comments: comments.slice(-mostComments), ofComments: comments.length}
    },
  })
