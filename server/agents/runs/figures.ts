import {toJson} from "../../../shared/json.ts"
import type {Reader, Row} from "../../database/database.ts"

/** The newest failed or cancelled run of each agent: two look-ups in the index of agent and state. */
const selectFailed = `SELECT r.agent, r.run_id FROM json_each(?1) a CROSS JOIN agent_runs r ON r.seq = (SELECT max(seq) FROM (
    SELECT max(seq) AS seq FROM agent_runs WHERE agent = a.value AND state = 'failed'
    UNION ALL SELECT max(seq) FROM agent_runs WHERE agent = a.value AND state = 'cancelled'))`

export const readLastFailed = (database: Reader, agents: readonly string[]): Promise<readonly Row[]> =>
  database.read(selectFailed, [toJson(agents)])

const hour = 3_600_000

/** A run may end long after it was created, so this looks at the newest 1000 runs of an agent. */
const selectEnds = `SELECT count(*) AS ended, coalesce(sum(state <> 'succeeded'), 0) AS bad FROM
    (SELECT state, ended_at FROM agent_runs WHERE agent = ? ORDER BY seq DESC LIMIT 1000)
  WHERE state IN ('succeeded', 'failed', 'cancelled') AND ended_at > ?`

/** Reads how the agents' runs of the last hour ended. `now` is in milliseconds since 1970. */
export const readAgentEnds = async (database: Reader, agents: readonly string[], now: number) => {
  if (agents.length === 0) return []
  const bad = await readLastFailed(database, agents)
  return Promise.all(
    agents.map(async agent => {
      const [ends] = await database.read(selectEnds, [agent, now - hour])
      const last = bad.find(row => row.agent === agent)
      return {
        agent,
        ended: Number(ends?.ended),
        bad: Number(ends?.bad),
        ...(last === undefined ? {} : {runId: String(last.run_id)}),
      }
    }),
  )
}
