import type {Item} from "../../shared/api/workroom.ts"
import {isProblem} from "../../shared/problems.ts"
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import type {ItemChange, ItemCommand} from "./store/transitions.ts"
import type {Workroom} from "./workroom.ts"

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
