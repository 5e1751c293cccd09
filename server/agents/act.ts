import {toJson} from "../../shared/json.ts"
import type {Database} from "../database/database.ts"
import {requireRun} from "./find-run.ts"
import {closingSteps} from "./runs/run-rows.ts"
import type {RunAction, RunSelection} from "./runs/service.ts"

/** Resolves to the number of changed runs. Throws `agent_run_unknown` or `agent_run_state` for one run. */
export const actOnRuns = async (
  database: Pick<Database, "read" | "write">,
  action: RunAction,
  on: RunSelection,
  at: number,
): Promise<number> => {
  const isMany = on !== "held" && typeof on.runId !== "string"
  const from = action === "hold" || isMany ? ["queued", "waiting"] : ["held"]
  if (on !== "held" && typeof on.runId === "string") {
    const why = action === "hold" ? "is not queued and does not wait" : "is not held"
    await requireRun(database, on.runId, state => from.includes(state), why)
  }
  const states = from.map(state => `'${state}'`).join(", ")
  const which = on === "held" ? "" : " AND run_id IN (SELECT value FROM json_each(?))"
  const args = on === "held" ? [] : [toJson([on.runId].flat())]
  const isIn = `state IN (${states})${which}`
  const runs = `SELECT seq FROM agent_runs WHERE ${isIn}`
  const batch = {
    release: [
      {sql: `UPDATE agent_approvals SET state = 'waiting' WHERE state = 'held' AND run IN (${runs})`, args},
      {
        sql: `UPDATE agent_runs SET state = 'queued', reason = NULL, waits_for = NULL, due_at = NULL WHERE ${isIn}`,
        args,
      },
    ],
    discard: [
      ...closingSteps({sql: runs, args}, "discarded", at),
      {
        sql: `UPDATE agent_runs SET state = 'cancelled', reason = 'discarded', ended_at = ? WHERE ${isIn}`,
        args: [at, ...args],
      },
    ],
    hold: [
      {sql: `UPDATE agent_approvals SET state = 'held' WHERE state = 'waiting' AND run IN (${runs})`, args},
      {sql: `UPDATE agent_runs SET state = 'held', reason = 'operator' WHERE ${isIn}`, args},
    ],
  }[action]
  const results = await database.write(batch)
  return results.at(-1)?.changes ?? 0
}
