import {type commandBodies, hostActor, operator} from "../../shared/api/workroom.ts"
import {Problem} from "../../shared/problems.ts"
import type {WorkItemChange} from "../../shared/sdk/plugin/work-items.ts"
import type {Static} from "../../shared/type.ts"
import type {ItemCommand} from "./store/transitions.ts"
import type {Request} from "./workroom.ts"

/** Returns the request that adds an item, from the fields that a caller gave. */
export const addFrom = (actor: string, {request, ...body}: Static<typeof commandBodies.add>): Request => {
  const {title, description = "", priority = "normal", labels = [], assignee = null, conversation = null} = body
  const command = {is: "add", title, description, priority, labels, assignee, conversation} as const
  return {actor, item: 0, command: {...command, ...(request === undefined ? {} : {request})}}
}

/** Returns a command from the fields that a caller gave. Throws `request_invalid`. */
export const commandFrom = (actor: string, change: WorkItemChange): ItemCommand => {
  switch (change.is) {
    case "claim":
      return {is: "claim", assignee: change.assignee ?? claimant(actor)}
    case "block": {
      const {reason, owner = null, deadline} = change
      return {is: "block", reason, owner, deadline: deadline === undefined ? null : timeOf(deadline)}
    }
    case "cancel":
      return {is: "cancel", reason: change.reason ?? null}
    case "comment":
      return {is: "comment", text: change.text}
    default:
      return {is: change.is}
  }
}

const claimant = (actor: string): string => {
  if (actor !== operator && actor !== hostActor) return actor
  throw new Problem("request_invalid", "assignee: name who works on the item", {
    hint: "Name an assignee, or the actor who claims it: user:<id> or agent:<name>.",
  })
}

const timeOf = (text: string): string => {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new Problem("request_invalid", `deadline: "${text}" is not a time`)
  return new Date(at).toISOString()
}
