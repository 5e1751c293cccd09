import {toJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {atAnyAge} from "./age.ts"
import {type Lane, laneOf} from "./rows.ts"

/** What an operator can do about messages that were not sent. */
export type OutboxAction = "retry" | "release" | "discard" | "hold"

/** One message or several, by id; or all held and unknown ones. */
export type OutboxSelection = {readonly id: string | readonly string[]} | "held"

export const statesFor: Record<OutboxAction, readonly string[]> = {
  retry: ["failed", "dead", "unknown", "expired"],
  release: ["held", "unknown"],
  discard: ["scheduled", "queued", "failed", "dead", "held", "unknown", "expired"],
  hold: ["scheduled", "queued"],
}

const isLater = "state = 'held' AND attempt = 0 AND not_before > unixepoch() * 1000"

/**
 * Attempts count from one again; their total stays known. A message that is held before its time still waits for that
 * time. A message that a person has sent is sent at any age.
 */
const again = `not_after = iif(${isLater}, not_after, ${atAnyAge}), state = iif(${isLater}, 'scheduled', 'queued'), not_before = iif(${isLater}, not_before, 0), spared = attempt,
  ended_at = NULL, reason = NULL`

const setting: Record<OutboxAction, string> = {
  retry: again,
  release: again,
  discard: "state = 'discarded', ended_at = unixepoch() * 1000",
  hold: "state = 'held', reason = 'operator', ended_at = unixepoch() * 1000",
}

/**
 * Resolves to the lanes whose messages have changed. Throws `outbox_unknown` for one message, and `outbox_state` if its
 * state does not allow the action. Messages among several that do not allow it stay as they are.
 */
export const act = async (database: Database, action: OutboxAction, on: OutboxSelection): Promise<readonly Lane[]> => {
  const condition =
    on === "held"
      ? "state IN ('held', 'unknown')"
      : `id IN (SELECT value FROM json_each(?)) AND +state IN (${statesFor[action].map(state => `'${state}'`).join(", ")})`
  const [changed] = await database.write([
    {
      sql: `UPDATE outbox SET ${setting[action]} WHERE ${condition} RETURNING endpoint, channel`,
      args: on === "held" ? [] : [toJson([on.id].flat())],
    },
  ])
  const rows = changed?.rows ?? []
  if (rows.length === 0 && on !== "held" && typeof on.id === "string") throw await refusal(database, action, on.id)
  return rows.map(laneOf)
}

const refusal = async (database: Database, action: OutboxAction, id: string): Promise<Problem> => {
  const [row] = await database.read("SELECT state FROM outbox WHERE id = ?", [id])
  if (row === undefined) return new Problem("outbox_unknown", `there is no outbox message ${id}`)
  return new Problem(
    "outbox_state",
    `${action} needs a message that is ${statesFor[action].join(" or ")}; ${id} is ${row.state}`,
  )
}

/** Discards a plugin's message. Resolves to its lane; undefined if it has begun. Throws `outbox_unknown`. */
export const cancel = async (
  database: Database,
  id: string,
  plugin: string,
  now: number,
): Promise<Lane | undefined> => {
  const [discarded, known] = await database.write([
    {
      sql: `UPDATE outbox SET state = 'discarded', reason = 'cancelled', ended_at = ?
        WHERE id = ? AND plugin = ? AND state IN ('scheduled', 'queued', 'held')
          AND progress IS NULL RETURNING endpoint, channel`,
      args: [now, id, plugin],
    },
    {sql: "SELECT 1 AS one FROM outbox WHERE id = ? AND plugin = ?", args: [id, plugin]},
  ])
  if (known?.rows.length === 0) throw new Problem("outbox_unknown", `${plugin} has sent no message ${id}`)
  const [row] = discarded?.rows ?? []
  return row && laneOf(row)
}
