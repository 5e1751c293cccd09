import type {Item} from "../../shared/api/workroom.ts"
import type {Log} from "../../shared/log.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import {fieldsOf} from "../../shared/sdk/values.ts"
import {persist} from "../database/persist.ts"
import type {Workroom} from "../workroom/workroom.ts"

type Given = Parameters<Workroom["run"]>[0]["command"]
type Change = Exclude<Given, {is: "add" | "authority" | "overdue"}>
type Bare<T> = T extends unknown ? Omit<T, "expectedRevision" | "request"> : never

const prefix = "agent:"

/** Who an agent is in the Journal. */
export const actorOf = (agent: string): string => `${prefix}${agent}`

/** The agent that an item is assigned to; undefined for a person's, or nobody's. */
export const agentOf = ({assignee}: Pick<Item, "assignee">): string | undefined =>
  assignee?.startsWith(prefix) === true ? assignee.slice(prefix.length) : undefined

/**
 * Is there still something to do on an item for a run of its agent? `isEnding`: the run that hands an item in may end behind the person
 * who accepts it.
 */
export const isFor = (item: Item | undefined, agent: string, isEnding: boolean): item is Item => {
  if (item === undefined || item.assignee !== actorOf(agent)) return false
  return item.state === "done" ? isEnding : item.state !== "cancelled"
}

/** A command about an item, before it is known against which revision. */
export type ItemCommand = Bare<Change>

/** Records of an item that are looked through for a request: newer than any run. */
const lookedAt = 500

/** An item that others change at the same moment is tried so often. */
const mostTries = 10

/**
 * Gives a command about an item once for each `request`, whatever was recorded in between: the item itself knows its newest request
 * alone. Throws what `Workroom.run` throws.
 */
export const commandOnce = async (
  workroom: Pick<Workroom, "run" | "item" | "journalOf">,
  {actor, item, request, command}: {actor: string; item: number; request: string; command: ItemCommand},
): Promise<Item> => {
  const records = await workroom.journalOf(item, Number.MAX_SAFE_INTEGER, lookedAt)
  if (records.some(record => fieldsOf(record.command).request === request)) return workroom.item(item)
  for (let tries = 1; ; tries++) {
    const {revision} = workroom.item(item)
    try {
      return await workroom.run({actor, item, command: {...command, request, expectedRevision: revision} as Change})
    } catch (error) {
      if (!isProblem(error, "workroom_stale") || tries === mostTries) throw error
    }
  }
}

/**
 * Like `commandOnce`, and waits for a store that fails meanwhile; resolves to whether it was recorded: where the item's state does not
 * take it, a person was faster.
 */
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

/** The most characters of a comment. */
const longestComment = 4000

/** Text as a comment or a reason takes it. */
export const itemText = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.length <= longestComment ? trimmed || "(nothing)" : `${trimmed.slice(0, longestComment - 1)}…`
}
