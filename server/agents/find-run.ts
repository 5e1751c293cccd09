import {Problem} from "../../shared/problems.ts"
import type {Database, Row} from "../database/database.ts"

export const isOpen = (state: string): boolean => !["succeeded", "failed", "cancelled"].includes(state)

/**
 * Returns the row of a run whose state fits. `why` is the error text for any other state. Throws `agent_run_unknown`,
 * `agent_run_state`.
 */
export const requireRun = async (
  database: Pick<Database, "read">,
  runId: string,
  fits: (state: string) => boolean,
  why: string,
): Promise<Row> => {
  const [row] = await database.read("SELECT * FROM agent_runs WHERE run_id = ?", [runId])
  if (row === undefined) throw new Problem("agent_run_unknown", `there is no agent run ${runId}`)
  if (!fits(String(row.state)))
    throw new Problem("agent_run_state", `the run ${runId} ${why}: it is ${String(row.state)}`)
  return row
}
