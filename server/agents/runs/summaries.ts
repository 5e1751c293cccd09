import type {Binding} from "../../../shared/agents/binding.ts"
import {durationOf} from "../../../shared/duration.ts"
import {toJson} from "../../../shared/json.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import {randomUuid} from "../../database/engine/random-uuid.ts"
import {type AgentRun, openStates, sameConversation} from "./run-rows.ts"

/** A conversation with fewer characters of questions and answers has no summary. */
const leastCharacters = 300

/** How long a summary waits if a run of the conversation is open, in milliseconds. */
const postponed = 600_000

/** Asks for the summary of the conversation before it. */
const question = "Summarize this conversation."

/** Plans the summary of a conversation that rests from now on, in place of an earlier plan. */
export const planningSummary = (run: AgentRun, {config}: Binding, at: number): readonly Statement[] => {
  const {seq, agent, endpoint, channel, place, item, isSummary} = run
  const rest = config.memory?.summary ?? "none"
  if (rest === "none" || isSummary || item !== undefined) return []
  if (endpoint === undefined || channel === undefined || place.user === undefined) return []
  return [
    {
      sql: `UPDATE agent_runs SET summary_due = NULL WHERE endpoint = ? AND user = ? AND channel = ? AND agent = ?
        AND place ->> '$.user.account' IS ? AND summary_due IS NOT NULL`,
      args: [endpoint, place.user.id, channel, agent, place.user.account ?? null],
    },
    {sql: "UPDATE agent_runs SET summary_due = ? WHERE seq = ?", args: [at + durationOf(rest), seq]},
  ]
}

export const selectNextSummary =
  "SELECT summary_due AS at FROM agent_runs INDEXED BY agent_runs_summary WHERE summary_due IS NOT NULL ORDER BY summary_due LIMIT 1"

const others = `FROM agent_runs o WHERE ${sameConversation("o", "r")} AND o.item IS NULL
  AND o.place ->> '$.user.account' IS r.place ->> '$.user.account'`
const isOpen = `EXISTS (SELECT 1 ${others} AND o.state IN ${openStates} AND o.request IS NOT 'summary/' || r.run_id)`
const first = `(SELECT min(o.seq) ${others} AND o.cause <> 'summary'
  AND o.seq > coalesce((SELECT max(o.seq) ${others} AND o.cause = 'summary' AND o.answer IS NOT NULL), 0))`
const characters = `(SELECT sum(length(o.input) + length(o.answer)) ${others} AND o.seq BETWEEN r.first AND r.seq AND o.answer IS NOT NULL)`

/** The most summaries of one batch: writers wait for it. */
const page = 200

/**
 * Queues runs that summarize the conversations that are due, once each, and clears the marks. `agents` are those with
 * summaries; all if undefined.
 */
export const queueingSummaries = (
  due: number,
  {now, agents, held = false}: {readonly now: number; readonly agents?: readonly string[]; readonly held?: boolean},
): readonly Statement[] => {
  const isDue = `r.seq IN (SELECT seq FROM agent_runs WHERE summary_due <= ?1 ORDER BY summary_due LIMIT ${held ? -1 : page})`
  return [
    {
      sql: `UPDATE agent_runs AS r SET summary_due = ?2 WHERE ${isDue} AND ${isOpen}`,
      args: [due, now + postponed],
    },
    {
      sql: `INSERT INTO agent_runs (run_id, agent, cause, request, state, reason, endpoint, channel, user, place, input, created_at)
      SELECT ${randomUuid}, agent, 'summary', 'summary/' || run_id, ?3, ?4, endpoint, channel, user,
        json_set(json_remove(place, '$.age'), '$.covers', json_array(first, seq)), '${question}', ?2
      FROM (SELECT r.*, ${first} AS first FROM agent_runs r WHERE ${isDue} AND NOT ${isOpen}
        AND (?5 IS NULL OR r.agent IN (SELECT value FROM json_each(?5)))) r
      WHERE first IS NOT NULL AND ${characters} >= ${leastCharacters}
      ON CONFLICT (request) DO NOTHING`,
      args: [
        due,
        now,
        ...(held ? ["held", "restored"] : ["queued", null]),
        agents === undefined ? null : toJson(agents),
      ],
    },
    {sql: `UPDATE agent_runs AS r SET summary_due = NULL WHERE ${isDue} AND NOT ${isOpen}`, args: [due]},
  ]
}
