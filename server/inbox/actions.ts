import {toJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import type {Database, Statement} from "../database/database.ts"
import {type Due, readDue} from "./marks.ts"

/** What an operator can do about handlers that have not handled their event. */
export type InboxAction = "retry" | "release" | "discard"

/** One event, optionally only one handler or one plugin's handlers of it; or everything that is held. */
export type InboxSelection = {readonly seq: number; readonly handler?: string; readonly plugin?: string} | "held"

/** The number of changed events and handlers, and what is to run because of it. */
export interface InboxChange {
  readonly events: number
  readonly handlers: number
  readonly due: readonly Due[]
}

/** The states that each action accepts. */
export const statesFor: Record<InboxAction, readonly string[]> = {
  retry: ["failed", "dead", "expired"],
  release: ["held"],
  discard: ["failed", "dead", "held", "expired"],
}

/** What a person has run again runs at any age. */
const again = "state = 'pending', any_age = 1, failures = 0, crashes = 0, ended_at = NULL"

const setting: Record<InboxAction, string> = {
  retry: again,
  release: `${again}, error = NULL`,
  discard: "state = 'discarded', ended_at = unixepoch() * 1000",
}

/** SQL for a handler, named by `column`, that belongs to a plugin. */
export const ofPlugin = (column: string, plugin: string): {readonly sql: string; readonly args: readonly string[]} => {
  const handlers = `root/${plugin}/`
  return {sql: `substr(${column}, 1, length(?)) = ?`, args: [handlers, handlers]}
}

/** Deletes the questions whose answers no handler will handle. */
const forgetDiscarded = `DELETE FROM prompts WHERE answer_seq IS NOT NULL AND EXISTS (SELECT 1 FROM inbox_marks m
  WHERE m.seq = answer_seq AND m.handler = prompts.handler AND m.state = 'discarded')`

/**
 * Changes the state of handlers. Throws `inbox_unknown`, and `inbox_state` if the state of no handler allows the
 * action.
 */
export const act = async (database: Database, action: InboxAction, on: InboxSelection): Promise<InboxChange> => {
  const {condition, args} = conditionOf(action, on)
  const [changed] = await database.write([
    {sql: `UPDATE inbox_marks SET ${setting[action]} WHERE ${condition} RETURNING seq, handler`, args},
    ...(action === "discard" ? [{sql: forgetDiscarded}] : []),
  ])
  const rows = changed?.rows ?? []
  if (rows.length === 0 && on !== "held") throw await refusal(database, action, on)
  const seqs = [...new Set(rows.map(row => Number(row.seq)))]
  const due =
    action === "discard" ? [] : await readDue(database, "m.seq IN (SELECT value FROM json_each(?))", [toJson(seqs)])
  return {events: seqs.length, handlers: rows.length, due}
}

const conditionOf = (action: InboxAction, on: InboxSelection): {condition: string; args: Statement["args"] & {}} => {
  const states = `state IN (${statesFor[action].map(state => `'${state}'`).join(", ")})`
  if (on === "held") return {condition: "state = 'held'", args: []}
  const parts: readonly {readonly sql: string; readonly args: Statement["args"] & {}}[] = [
    {sql: `${states} AND seq = ?`, args: [on.seq]},
    ...(on.handler === undefined ? [] : [{sql: "handler = ?", args: [on.handler]}]),
    ...(on.plugin === undefined ? [] : [ofPlugin("handler", on.plugin)]),
  ]
  return {condition: parts.map(({sql}) => sql).join(" AND "), args: parts.flatMap(part => [...part.args])}
}

const refusal = async (
  database: Database,
  action: InboxAction,
  on: Exclude<InboxSelection, "held">,
): Promise<Problem> => {
  const rows = await database.read(
    "SELECT m.handler, m.state FROM inbox i LEFT JOIN inbox_marks m USING (seq) WHERE i.seq = ? ORDER BY m.handler",
    [on.seq],
  )
  if (rows.length === 0) return new Problem("inbox_unknown", `there is no inbox event ${on.seq}`)
  const marks = rows.flatMap(({handler, state}) => (handler === null ? [] : [`${handler} is ${state}`]))
  const wanted = on.handler === undefined ? "no handler" : `not ${on.handler}`
  const states = statesFor[action].join(" or ")
  return new Problem(
    "inbox_state",
    `${action} needs a handler that is ${states}, and ${wanted} of event ${on.seq} is: ${marks.join(", ") || "it has none"}`,
  )
}
