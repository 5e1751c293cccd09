import {fromJson, toJson} from "../../../shared/json.ts"
import type {Row, SqlValue, Statement} from "../../../shared/sdk/plugin/database.ts"
import {assertThat} from "../../database/database.ts"
import type {UserPart} from "../../database/upkeep/user-part.ts"
import {ending, redacted} from "../../database/upkeep/user-part.ts"

const ended = "state IN ('succeeded', 'failed', 'cancelled')"

/** True for an event `e` of the log with the error of a run, or with a person's reason for a decision about a call. */
export const isAgentDetail = `(e.type LIKE 'agent.run_%' AND e.data ->> '$.error' IS NOT NULL
  OR e.type LIKE 'agent.approval_%' AND e.data ->> '$.reason' IS NOT NULL)`

/** The data of that event without the error or the reason. */
export const withoutAgentDetail = "json_set(data, iif(e.type LIKE 'agent.run_%', '$.error', '$.reason'), NULL)"

/** Erases these texts of runs in the event log. `which` is a condition on `agent_runs`. */
export const forgettingRunDetails = (which: string, args: readonly SqlValue[]): Statement => ({
  sql: `UPDATE events AS e SET data = ${withoutAgentDetail} WHERE ${isAgentDetail}
    AND e.run_id IN (SELECT run_id FROM agent_runs WHERE ${which})`,
  args: [...args],
})

/**
 * Erases the questions, the answers and the step contents of agent runs. Ids, times, states and figures stay. Cancels a
 * run that has not ended. `which` is a condition on `agent_runs`.
 */
export const forgettingRuns = (which: string, args: readonly SqlValue[]): readonly Statement[] => {
  const run = `run IN (SELECT seq FROM agent_runs WHERE ${which})`
  return [
    {sql: `UPDATE agent_steps SET input = NULL, output = NULL, error = NULL WHERE ${run}`, args: [...args]},
    {
      sql: `UPDATE agent_approvals SET shown = '${redacted}', reason = NULL,
        state = iif(state IN ('waiting', 'held'), 'cancelled', state) WHERE ${run}`,
      args: [...args],
    },
    {
      sql: `UPDATE agent_runs SET input = '${redacted}', answer = NULL, error = NULL, place = '{}', ${ending},
        reason = iif(${ended}, reason, 'cancelled'), state = iif(${ended}, state, 'cancelled') WHERE ${which}`,
      args: [...args],
    },
  ]
}

/** Makes its batch fail while a run of `which` has not ended. */
export const assertRunsEnded = (which: string, args: readonly SqlValue[]): Statement =>
  assertThat(`NOT EXISTS (SELECT 1 FROM agent_runs WHERE ${which} AND NOT ${ended})`, [...args])

const listed = "seq IN (SELECT value FROM json_each(?))"
const listOf = (rows: readonly Row[]): string => toJson(rows.map(({seq}) => seq))

export const timeOf = (at: Row[string] | undefined): string | null =>
  at === null || at === undefined ? null : new Date(Number(at)).toISOString()

interface StepLine {
  readonly input: string | null
  readonly output: string | null
  readonly error: string | null
}

const trailOf = ({trail}: Row) => fromJson(String(trail)) as readonly StepLine[]

/** What the user asked agents, and the outcome. A run that has not ended counts as busy. */
export const agentsPart: UserPart = {
  name: "agents",
  slices: {table: "agent_runs", key: "seq"},
  find: `SELECT r.*, (SELECT json_group_array(json_object('step', n, 'kind', kind, 'name', name, 'state', state, 'input', input,
      'output', output, 'error', error)) FROM (SELECT * FROM agent_steps WHERE run = r.seq ORDER BY n)) AS trail
    FROM agent_runs r NOT INDEXED WHERE r.seq > ?1 AND r.seq <= ?2 AND r.endpoint = ?3 AND r.user = ?4`,
  toLine: row => ({
    runId: row.run_id,
    agent: row.agent,
    channel: row.channel,
    state: row.state,
    reason: row.reason,
    createdAt: timeOf(row.created_at),
    endedAt: timeOf(row.ended_at),
    input: row.input,
    answer: row.answer,
    error: row.error,
    steps: trailOf(row),
  }),
  isForgotten: row =>
    row.input === redacted &&
    row.answer === null &&
    row.error === null &&
    trailOf(row).every(({input, output, error}) => input === null && output === null && error === null),
  isBusy: ({state}) => !["succeeded", "failed", "cancelled"].includes(String(state)),
  assertIdle: rows => assertRunsEnded(listed, [listOf(rows)]),
  forgetting: rows => forgettingRuns(listed, [listOf(rows)]),
}
