import {Problem} from "../../../shared/problems.ts"
import type {Statement} from "../../../shared/sdk/plugin/database.ts"
import type {Database} from "../../database/database.ts"

export type TimerAction = "release" | "cancel"

/** One timer by its id, or all held timers. */
export type TimerSelection = {readonly id: string} | "held"

const changes: Readonly<Record<TimerAction, string>> = {
  release: "UPDATE timers SET state = 'waiting', reason = NULL WHERE state = 'held'",
  cancel: "DELETE FROM timers WHERE true",
}

const changing = (action: TimerAction, on: TimerSelection): Statement =>
  on === "held"
    ? {sql: `${changes[action]} AND state = 'held' RETURNING id`}
    : {sql: `${changes[action]} AND id = ? RETURNING id`, args: [on.id]}

/**
 * Runs an action. Resolves to how many timers changed. Throws `timer_unknown`, and `timer_state` for the release of a
 * timer that is not held.
 */
export const act = async (database: Database, action: TimerAction, on: TimerSelection): Promise<number> => {
  const [changed] = await database.write([changing(action, on)])
  const count = changed?.rows.length ?? 0
  if (count > 0 || on === "held") return count
  const [row] = await database.read("SELECT state FROM timers WHERE id = ?", [on.id])
  if (row === undefined) throw new Problem("timer_unknown", `there is no timer ${on.id}; it may have fired`)
  throw new Problem("timer_state", `release is for held timers; ${on.id} is ${row.state}`)
}
