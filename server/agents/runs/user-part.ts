import {fromJson} from "../../../shared/json.ts"
import {assertThat, type Row, type SqlValue, type Statement} from "../../database/database.ts"
import {timeOf} from "../../database/lists/pages.ts"
import {ending, listOf, redacted, type UserPart} from "../../database/retention/user-part.ts"
import {forgettingRunDetails} from "../../events/erasing.ts"

const ended = "state IN ('succeeded', 'failed', 'cancelled')"

/**
 * Erases the questions, the answers and the step contents of agent runs. Ids, times, states and figures stay. Cancels a
 * run that has not ended. `which` is a condition on `agent_runs`.
 */
export const forgettingRuns = (which: string, args: readonly SqlValue[]): readonly Statement[] => {
  const run = `run IN (SELECT seq FROM agent_runs WHERE ${which})`
  return [
    // Before the run ends: what a run was not told starts another.
    {sql: `UPDATE agent_said SET text = '', told = coalesce(told, 0) WHERE ${run}`, args: [...args]},
    {sql: `UPDATE agent_steps SET input = NULL, output = NULL, error = NULL WHERE ${run}`, args: [...args]},
    {
      sql: `UPDATE agent_approvals SET shown = '${redacted}', reason = NULL,
        state = iif(state IN ('waiting', 'held'), 'cancelled', state) WHERE ${run}`,
      args: [...args],
    },
    {
      sql: `UPDATE agent_runs SET input = '${redacted}', answer = NULL, error = NULL, place = '{}', summary_due = NULL, ${ending},
        reason = iif(${ended}, reason, 'cancelled'), state = iif(${ended}, state, 'cancelled') WHERE ${which}`,
      args: [...args],
    },
  ]
}

/** Makes its batch fail while a run of `which` has not ended. */
const assertRunsEnded = (which: string, args: readonly SqlValue[]): Statement =>
  assertThat(`NOT EXISTS (SELECT 1 FROM agent_runs WHERE ${which} AND NOT ${ended})`, [...args])

/** Returns the statements that erase the runs about an inbox event. They fail their batch while one has not ended. */
export const erasingRunsOf = (seq: number): readonly Statement[] => {
  const which = "(inbox_seq = ? OR seq IN (SELECT run FROM agent_said WHERE inbox_seq = ?))"
  const args = [seq, seq]
  return [
    assertRunsEnded(which, args),
    ...forgettingRuns(which, args),
    forgettingRunDetails(`SELECT run_id FROM agent_runs WHERE ${which}`, args),
  ]
}

/** SQL: an agent ran because of this inbox event. */
export const hasRuns = (seq: string): string =>
  `(EXISTS (SELECT 1 FROM agent_runs r WHERE r.inbox_seq = ${seq}) OR EXISTS (SELECT 1 FROM agent_said s WHERE s.inbox_seq = ${seq}))`

/** SQL for `UserPart.find`: the run with this id is the user's. */
export const isRunOfUser = (runId: string): string =>
  `EXISTS (SELECT 1 FROM agent_runs r WHERE r.run_id = ${runId} AND r.endpoint = ?3 AND r.user = ?4)`

const listed = "seq IN (SELECT value FROM json_each(?))"

type StepLine = Readonly<Record<"input" | "output" | "error", string | null>>

const trailOf = ({trail}: Row) => fromJson(String(trail)) as readonly StepLine[]

/** What the user asked agents, and the outcome. A run that has not ended counts as busy. */
export const agentsPart: UserPart = {
  name: "agents",
  slices: {table: "agent_runs", key: "seq"},
  find: `SELECT r.*, (SELECT json_group_array(json_object('step', n, 'kind', kind, 'name', name, 'state', state, 'input', input,
      'output', output, 'error', error)) FROM (SELECT * FROM agent_steps WHERE run = r.seq ORDER BY n)) AS trail,
      (SELECT json_group_array(text) FROM (SELECT text FROM agent_said WHERE run = r.seq AND text <> '' ORDER BY seq)) AS said
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
    said: fromJson(String(row.said)),
    answer: row.answer,
    error: row.error,
    steps: trailOf(row),
  }),
  isForgotten: row =>
    row.input === redacted &&
    row.answer === null &&
    row.error === null &&
    row.said === "[]" &&
    trailOf(row).every(({input, output, error}) => input === null && output === null && error === null),
  isBusy: ({state}) => !["succeeded", "failed", "cancelled"].includes(String(state)),
  assertIdle: rows => assertRunsEnded(listed, [listOf(rows, "seq")]),
  forgetting: rows => forgettingRuns(listed, [listOf(rows, "seq")]),
}
