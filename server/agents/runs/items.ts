import type {Item} from "../../../shared/api/workroom.ts"
import type {Log} from "../../../shared/log.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {persist} from "../../database/persist.ts"
import type {ItemChange, ItemCommand} from "../../workroom/store/transitions.ts"
import type {Workroom} from "../../workroom/workroom.ts"

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

/** How many of an item's newest records are searched for a request. No run makes more. */
const lookedAt = 500

/** The most attempts for an item that others change at the same time. */
const mostTries = 10

/** Runs a command once per `request`: an item itself knows only its newest request. Throws as `Workroom.run`. */
export const commandOnce = async (
  workroom: Pick<Workroom, "run" | "item" | "journalOf">,
  {actor, item, request, command}: {actor: string; item: number; request: string; command: ItemCommand},
): Promise<Item> => {
  const records = await workroom.journalOf(item, Number.MAX_SAFE_INTEGER, lookedAt)
  if (records.some(record => fieldsOf(record.command).request === request)) return workroom.item(item)
  for (let tries = 1; ; tries++) {
    const {revision} = workroom.item(item)
    try {
      const change = {...command, request, expectedRevision: revision} as ItemChange
      return await workroom.run({actor, item, command: change})
    } catch (error) {
      if (!isProblem(error, "workroom_stale") || tries === mostTries) throw error
    }
  }
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
