import {Closed, Type} from "../../../shared/type.ts"
import {commandOnce} from "../../workroom/command-once.ts"
import type {Engine} from "../runs/engine.ts"
import {itemText} from "../runs/items.ts"
import type {AgentTool} from "../runs/tool.ts"

const Parameters = Closed({
  reason: Type.String({
    minLength: 1,
    maxLength: 4000,
    description: "What the work is waiting for; people will read this.",
  }),
})

/** Lets a run block its own work item, with the reason. */
export const itemBlock = (workroom: Engine["workroom"], item: number): AgentTool => ({
  name: "item.block",
  description: `Blocks the work item ${item} that you are working on, with the reason. A person then decides. Call it when you cannot continue.`,
  parameters: Parameters,
  effect: "idempotent",
  permission: "user",
  approval: false,
  timeout: 30_000,
  isOfRun: true,
  run: async ({args, key, run: {actor}}) => {
    const {reason} = args as {readonly reason: string}
    const command = {is: "block", reason: itemText(reason), owner: null, deadline: null} as const
    await commandOnce(workroom, {actor, item, request: key, command})
    return {value: "blocked"}
  },
})
