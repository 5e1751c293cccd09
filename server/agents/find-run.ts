import {Problem} from "../../shared/problems.ts"
import type {Reader, Row} from "../database/database.ts"

export const isOpen = (state: string): boolean => !["succeeded", "failed", "cancelled"].includes(state)

export const findRun = async (database: Reader, runId: string): Promise<Row | undefined> =>
  (await database.read("SELECT * FROM agent_runs WHERE run_id = ?", [runId]))[0]

/** Returns a run's row whose state fits, else throws `agent_run_state` with the text `why`, or `agent_run_unknown`. */
export const requireRun = async (
  database: Reader,
  runId: string,
  fits: (state: string) => boolean,
  why: string,
): Promise<Row> => {
  const row = await findRun(database, runId)
  if (row === undefined) throw new Problem("agent_run_unknown", `there is no agent run ${runId}`)
  if (!fits(String(row.state)))
    throw new Problem("agent_run_state", `the run ${runId} ${why}: it is ${String(row.state)}`)
  return row
}
