import {toJson} from "../../../../shared/json.ts"
import type {Row} from "../../../../shared/sdk/plugin/database.ts"
import type {Database} from "../../../database/database.ts"

/** The figures of bindings as rows, each with the name of its agent. */
export interface Figures {
  readonly open: readonly Row[]
  readonly ended: readonly Row[]
  readonly approvals: readonly Row[]
  readonly today: readonly Row[]
  readonly last: readonly Row[]
}

/** Open runs are few, so they are counted here. Ended runs were counted when they ended. */
const openStates = toJson(["queued", "running", "waiting", "held"])

const countOpen = `SELECT a.value AS agent, s.value AS state,
    (SELECT count(*) FROM agent_runs WHERE agent = a.value AND state = s.value) AS n
  FROM json_each(?1) a CROSS JOIN json_each(?2) s`

const countApprovals = `SELECT r.agent AS agent, count(*) AS n FROM agent_approvals a
  CROSS JOIN agent_runs r ON r.seq = a.run WHERE a.state = 'waiting' GROUP BY r.agent`

const selectToday = `SELECT s.* FROM json_each(?1) a
  CROSS JOIN agent_spending s ON s.agent = a.value AND s.day = ?2 AND s.subject = ''`

const selectLast = `SELECT r.agent, r.run_id, r.state, r.reason, r.ended_at FROM json_each(?1) a
  CROSS JOIN agent_runs r ON r.seq = (SELECT max(seq) FROM agent_runs WHERE agent = a.value)`

/** Reads the figures of agents at one moment. Days are in UTC. */
export const readFigures = async (
  database: Database,
  agents: readonly string[],
  now: number = Date.now(),
): Promise<Figures> => {
  const names = toJson(agents)
  const [open, ended, approvals, today, last] = await Promise.all([
    database.read(countOpen, [names, openStates]),
    database.read("SELECT agent, outcome AS state, runs AS n FROM agent_run_totals"),
    database.read(countApprovals),
    database.read(selectToday, [names, new Date(now).toISOString().slice(0, 10)]),
    database.read(selectLast, [names]),
  ])
  return {open, ended, approvals, today, last}
}
