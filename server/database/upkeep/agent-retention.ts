import type {Database} from "../database.ts"
import {plainPart} from "./retention.ts"

/** Runs of agents that have ended; their steps and approvals go with them. */
export const agentRunsPart = plainPart({
  name: "agentRuns",
  table: "agent_runs",
  number: "seq",
  at: "created_at",
  condition:
    "seq > ?1 AND seq <= ?2 AND state IN ('succeeded', 'failed', 'cancelled') AND (ended_at < ?3 OR seq <= ?4)",
  detail: "state",
})

/** Limits count by the day: what is older than this is read by nobody, in milliseconds. */
const spendingAge = 40 * 86_400_000

/** Rows of one statement: writers wait for it. */
const chunk = 500

/** Drops what agents have spent on days that no limit asks for. The totals of their runs stay. */
export const sweepSpending = async (database: Database, now: number, signal: AbortSignal): Promise<void> => {
  const day = new Date(now - spendingAge).toISOString().slice(0, 10)
  const sql = `DELETE FROM agent_spending WHERE (agent, day, subject) IN
    (SELECT agent, day, subject FROM agent_spending WHERE day < ? LIMIT ${chunk})`
  while (!signal.aborted) {
    const [result] = await database.write([{sql, args: [day]}])
    if ((result?.changes ?? 0) < chunk) return
  }
}
