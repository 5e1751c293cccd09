import type {Item} from "../../../shared/api/workroom.ts"
import type {Log} from "../../../shared/log.ts"
import {Problem} from "../../../shared/problems.ts"
import {persist} from "../../database/persist.ts"
import {commandOnce} from "../../workroom/command-once.ts"

const prefix = "agent:"

/** Returns an agent's name in the Journal. */
export const actorOf = (agent: string): string => `${prefix}${agent}`

/** Returns the agent to whom an item is assigned; undefined if it is a person's or unassigned. */
export const agentOf = ({assignee}: Pick<Item, "assignee">): string | undefined =>
  assignee?.startsWith(prefix) === true ? assignee.slice(prefix.length) : undefined

/** Whether an item still needs its agent's run. `isEnding`: a person may accept the item before its run ends. */
export const isFor = (item: Item | undefined, agent: string, isEnding: boolean): item is Item => {
  if (item === undefined || item.assignee !== actorOf(agent)) return false
  return item.state === "done" ? isEnding : item.state !== "cancelled"
}

/** Like `commandOnce`, but waits while the store fails. Resolves to false if a person was faster. */
export const tryCommandOnce = async (
  {workroom, log}: {readonly workroom: Parameters<typeof commandOnce>[0]; readonly log: Log},
  given: Parameters<typeof commandOnce>[1],
): Promise<boolean> => {
  try {
    await persist(`work item ${given.item}`, log, () => commandOnce(workroom, given))
    return true
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return false
    throw error
  }
}

/** The longest comment, in characters. */
const longestComment = 4000

/** Returns the text within the limits of a comment or a reason. */
export const itemText = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.length <= longestComment ? trimmed || "(nothing)" : `${trimmed.slice(0, longestComment - 1)}…`
}
