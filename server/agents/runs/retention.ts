import type {Database} from "../../database/database.ts"
import {plainPart} from "../../database/retention/retention.ts"

/** Ended agent runs. Their steps and approvals are deleted with them. */
export const agentRunsPart = plainPart({
  name: "agentRuns",
  table: "agent_runs",
  number: "seq",
  at: "created_at",
  condition:
    "seq > ?1 AND seq <= ?2 AND state IN ('succeeded', 'failed', 'cancelled') AND (ended_at < ?3 OR seq <= ?4)",
  detail: "state",
})

/** Limits count by the day: nothing reads older spending, in milliseconds. */
const spendingAge = 40 * 86_400_000

/** Rows of one statement: writers wait for it. */
const chunk = 500

/** Deletes agents' spending of days that no limit needs. The totals of their runs stay. */
export const sweepSpending = async (database: Database, now: number, signal: AbortSignal): Promise<void> => {
  const day = new Date(now - spendingAge).toISOString().slice(0, 10)
  const sql = `DELETE FROM agent_spending WHERE (agent, day, subject) IN
    (SELECT agent, day, subject FROM agent_spending WHERE day < ? LIMIT ${chunk})`
  while (!signal.aborted) {
    const [result] = await database.write([{sql, args: [day]}])
    if ((result?.changes ?? 0) < chunk) return
  }
}
