import {toJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {type Owner, ofOwner} from "../database/lists/owner.ts"
import type {Condition} from "../database/lists/search.ts"
import {type Due, readDue} from "./intake/marks.ts"

/** What an operator can do about handlers that have not handled their event. */
export type InboxAction = "retry" | "release" | "discard" | "hold"

/** One event or several, optionally only one handler or one owner's handlers of them; or everything that is held. */
export type InboxSelection =
  | (Owner & {
      readonly seq: number | readonly number[]
      readonly handler?: string
      /** The states to change, among those that the action accepts. */
      readonly states?: readonly string[]
    })
  | "held"

/** The number of changed events and handlers, and what is to run because of it. */
export interface InboxChange {
  readonly events: number
  readonly handlers: number
  readonly due: readonly Due[]
}

export const statesFor: Record<InboxAction, readonly string[]> = {
  retry: ["failed", "dead", "expired"],
  release: ["held"],
  discard: ["pending", "failed", "dead", "held", "expired"],
  hold: ["pending"],
}

/** What a person has run again runs at any age. */
const again = "state = 'pending', any_age = 1, failures = 0, crashes = 0, ended_at = NULL"

const setting: Record<InboxAction, string> = {
  retry: again,
  release: `${again}, error = NULL`,
  discard: "state = 'discarded', ended_at = unixepoch() * 1000",
  hold: "state = 'held', ended_at = unixepoch() * 1000, error = 'operator'",
}

/** SQL for an event, named by its sequence, that has not begun: a running middleware still decides about the others. */
export const isWaiting = (seq: string): Condition => ({
  sql: `NOT EXISTS (SELECT 1 FROM inbox_marks r WHERE r.seq = ${seq} AND r.state = 'running')`,
  args: [],
})

/** Deletes the questions whose answers no handler will handle. */
const forgetDiscarded = `DELETE FROM prompts WHERE answer_seq IS NOT NULL AND EXISTS (SELECT 1 FROM inbox_marks m
  WHERE m.seq = answer_seq AND m.handler = prompts.handler AND m.state = 'discarded')`

/**
 * Changes the state of handlers; none that runs. Throws `inbox_unknown` for one event, and `inbox_state` if the state of
 * none of its handlers allows the action. Events among several that do not allow it stay as they are.
 */
export const act = async (database: Database, action: InboxAction, on: InboxSelection): Promise<InboxChange> => {
  const parts = conditionsOf(action, on)
  const [changed] = await database.write([
    {
      sql: `UPDATE inbox_marks SET ${setting[action]} WHERE ${parts.map(({sql}) => sql).join(" AND ")} RETURNING seq, handler`,
      args: parts.flatMap(({args}) => [...args]),
    },
    ...(action === "discard" ? [{sql: forgetDiscarded}] : []),
  ])
  const rows = changed?.rows ?? []
  if (rows.length === 0 && on !== "held" && typeof on.seq === "number")
    throw await refusal(database, action, on, on.seq)
  const seqs = [...new Set(rows.map(row => Number(row.seq)))]
  const isOver = action === "discard" || action === "hold"
  const due = isOver ? [] : await readDue(database, "m.seq IN (SELECT value FROM json_each(?))", [toJson(seqs)])
  return {events: seqs.length, handlers: rows.length, due}
}

const conditionsOf = (action: InboxAction, on: InboxSelection): readonly Condition[] => {
  if (on === "held") return [{sql: "state = 'held'", args: []}]
  const states = on.states ?? statesFor[action]
  return [
    {sql: "state IN (SELECT value FROM json_each(?))", args: [toJson(states)]},
    {sql: "seq IN (SELECT value FROM json_each(?))", args: [toJson([on.seq].flat())]},
    ...(on.handler === undefined ? [] : [{sql: "handler = ?", args: [on.handler]}]),
    ...ofOwner("handler", on, states),
    ...(action === "hold" ? [isWaiting("inbox_marks.seq")] : []),
  ]
}

const refusal = async (
  database: Database,
  action: InboxAction,
  on: Exclude<InboxSelection, "held">,
  seq: number,
): Promise<Problem> => {
  const rows = await database.read(
    "SELECT m.handler, m.state FROM inbox i LEFT JOIN inbox_marks m USING (seq) WHERE i.seq = ? ORDER BY m.handler",
    [seq],
  )
  if (rows.length === 0) return new Problem("inbox_unknown", `there is no inbox event ${seq}`)
  const marks = rows.flatMap(({handler, state}) => (handler === null ? [] : [`${handler} is ${state}`]))
  const wanted = on.handler === undefined ? "no handler" : `not ${on.handler}`
  const states = statesFor[action].join(" or ")
  return new Problem(
    "inbox_state",
    `${action} needs a handler that is ${states}, and ${wanted} of event ${seq} is: ${marks.join(", ") || "it has none"}`,
  )
}
