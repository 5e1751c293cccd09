import type {Database} from "../database/database.ts"
import {requireRun} from "./find-run.ts"

/** The operator's actions on held runs. */
export type HeldAction = "release" | "discard"

/**
 * Releases or discards held runs. Resolves to their number. Throws `agent_run_unknown`,
 * `agent_run_state`.
 */
export const actOnHeld = async (
  database: Pick<Database, "read" | "write">,
  action: HeldAction,
  on: {readonly runId: string} | "held",
  at: number,
): Promise<number> => {
  if (on !== "held") await requireRun(database, on.runId, state => state === "held", "is not held")
  const which = on === "held" ? "" : " AND run_id = ?"
  const args = on === "held" ? [] : [on.runId]
  const ofRuns = `run IN (SELECT seq FROM agent_runs WHERE state = 'held'${which})`
  const batch =
    action === "release"
      ? [
          {sql: `UPDATE agent_approvals SET state = 'waiting' WHERE state = 'held' AND ${ofRuns}`, args},
          {
            sql: `UPDATE agent_runs SET state = 'queued', reason = NULL, waits_for = NULL, due_at = NULL WHERE state = 'held'${which}`,
            args,
          },
        ]
      : [
          {
            sql: `UPDATE agent_approvals SET state = 'cancelled', decided_at = ? WHERE state = 'held' AND ${ofRuns}`,
            args: [at, ...args],
          },
          {
            sql: `UPDATE agent_runs SET state = 'cancelled', reason = 'discarded', ended_at = ? WHERE state = 'held'${which}`,
            args: [at, ...args],
          },
        ]
  const results = await database.write(batch)
  return results.at(-1)?.changes ?? 0
}
