import type {AgentReason, AgentRunState, AgentWait} from "../../../shared/agents/states.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {assertThat, type Row, type Statement} from "../../database/database.ts"
import {numberIn, textIn} from "../../database/engine/cells.ts"
import {runEndSql} from "../../database/state/runs.ts"
import type {RunRequest} from "./service.ts"

/** The conversation of a run, at the time of the request. */
type Place = Pick<RunRequest, "channel" | "user" | "permission" | "age"> & {
  /** The first and the last run that a summary is about. */
  readonly covers?: readonly [from: number, to: number]
}

/** A run, read from its row. Money is in millionths; times are in milliseconds since 1970. */
export type AgentRun = Readonly<ReturnType<typeof runOf>>

export const runOf = (row: Row) => ({
  seq: Number(row.seq),
  runId: String(row.run_id),
  agent: String(row.agent),
  isSummary: row.cause === "summary",
  attempt: Number(row.attempt),
  endpoint: textIn(row.endpoint),
  channel: textIn(row.channel),
  place: fromJson(String(row.place)) as Place,
  item: numberIn(row.item),
  input: String(row.input),
  /** The outbox id of the message to which the answer is streamed. */
  message: textIn(row.message),
  /** Failed model calls since the last successful one. */
  failures: Number(row.failures),
  steps: Number(row.steps),
  tokens: Number(row.tokens),
  money: Number(row.money),
  /** How long the run has worked, in milliseconds. */
  active: Number(row.active_ms),
  createdAt: Number(row.created_at),
})

export const conversationOf = ({endpoint, channel}: Pick<AgentRun, "endpoint" | "channel">) =>
  endpoint === undefined || channel === undefined ? undefined : {endpoint, channel}

/** Returns where a run is shown: in its conversation, unless it is a summary, or works on an item, whose comments show it. */
export const shownIn = (run: Pick<AgentRun, "endpoint" | "channel" | "item" | "isSummary">) =>
  run.item === undefined && !run.isSummary ? conversationOf(run) : undefined

/** SQL: these runs, or a run and a memory, are of one conversation. */
export const sameConversation = (one: string, other: string): string =>
  ["endpoint", "user", "channel", "agent"].map(column => `${one}.${column} = ${other}.${column}`).join(" AND ")

/** Stores a run, unless its request has created one before. */
export const queueing = (runId: string, request: RunRequest, at: number): Statement => {
  const {agent, trigger, input, endpoint, channel, user, permission, age, event, item, plugin} = request
  return {
    sql: `INSERT INTO agent_runs (run_id, agent, cause, request, endpoint, channel, user, place, inbox_seq, item, plugin, input, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (request) DO NOTHING RETURNING run_id`,
    args: [
      ...[runId, agent, trigger, request.request ?? null, endpoint ?? null, channel?.id ?? null, user?.id ?? null],
      ...[toJson({channel, user, permission, age}), event ?? null, item ?? null, plugin ?? null, input, at],
    ],
  }
}

export const selectKnown = `SELECT run_id FROM agent_runs WHERE request = ?1 OR run_id = ?2
  OR seq = (SELECT run FROM agent_said WHERE request = ?1)`

/** Claims a run for this Host. Returns its row, once per attempt. */
export const claiming = (seq: number, attempt: number, runtimeId: string, at: number): Statement => ({
  sql: `UPDATE agent_runs SET state = 'running', attempt = ?2, runtime_id = ?3, started_at = coalesce(started_at, ?4), waits_for = NULL, due_at = NULL
    WHERE seq = ?1 AND (state = 'queued' OR (state = 'running' AND attempt = ?2 AND runtime_id = ?3)) RETURNING *`,
  args: [seq, attempt, runtimeId, at],
})

/** The first statement of an attempt's batches. It fails once the run was cancelled or another Host has claimed it. */
export const assertAttempt = ({seq, attempt}: Pick<AgentRun, "seq" | "attempt">): Statement =>
  assertThat("EXISTS (SELECT 1 FROM agent_runs WHERE seq = ? AND attempt = ? AND state = 'running')", [seq, attempt])

export const selectIsRunning = "SELECT 1 FROM agent_runs WHERE seq = ? AND attempt = ? AND state = 'running'"

/** Ends the attempt; the run continues later, at `due` if that is set. */
export const parking = (
  {seq}: Pick<AgentRun, "seq">,
  waitsFor: AgentWait,
  due?: number,
  error?: string,
): Statement => ({
  sql: "UPDATE agent_runs SET state = 'waiting', waits_for = ?, due_at = ?, error = ? WHERE seq = ?",
  args: [waitsFor, due ?? null, error ?? null, seq],
})

/** Like `parking`, to wait for a person's decision about a step. If it was made meanwhile, the run continues. */
export const parkingForApproval = ({seq}: Pick<AgentRun, "seq">, n: number, due: number): Statement => ({
  sql: `UPDATE agent_runs SET (state, waits_for, due_at) = (
    SELECT iif(count(*) > 0, 'waiting', 'queued'), iif(count(*) > 0, 'approval', NULL), iif(count(*) > 0, ?, NULL)
    FROM agent_approvals WHERE run = agent_runs.seq AND n = ? AND state IN ('waiting', 'held')) WHERE seq = ?`,
  args: [due, n, seq],
})

/** Requeues a run when the Host stops. It continues at the next start. */
export const requeueing = ({seq}: Pick<AgentRun, "seq">): Statement => ({
  sql: "UPDATE agent_runs SET state = 'queued' WHERE seq = ?",
  args: [seq],
})

export interface RunEnd {
  readonly state: Extract<AgentRunState, "succeeded" | "failed" | "cancelled">
  readonly answer?: string
  readonly reason?: AgentReason
  readonly error?: string
}

export const openStates = "('queued', 'running', 'waiting', 'held')"

/** Counts open runs by agent and state, with one index look-up each. Ended runs were counted when they ended. */
export const countOpen = `SELECT a.value AS agent, s.value AS state,
    (SELECT count(*) FROM agent_runs WHERE agent = a.value AND state = s.value) AS n
  FROM json_each(?1) a CROSS JOIN json_each('["queued","running","waiting","held"]') s`

/** Ends a run that has not ended yet, and then returns its row. */
export const endingRun = (seq: number, {state, answer, reason, error}: RunEnd, at: number): Statement => ({
  sql: `UPDATE agent_runs SET state = ?, answer = coalesce(?, answer), reason = ?, error = ?, ended_at = ?, waits_for = NULL, due_at = NULL
    WHERE seq = ? AND state IN ${openStates} RETURNING *`,
  args: [state, answer ?? null, reason ?? null, error ?? null, at, seq],
})

/** Ends the open approvals and steps of runs that end. An interrupted step may have taken effect. */
export const closingSteps = (
  runs: number | {readonly sql: string; readonly args: readonly string[]},
  reason: AgentReason,
  at: number,
): readonly Statement[] => {
  const {sql, args} = typeof runs === "number" ? {sql: "?", args: [runs]} : runs
  return [
    {
      sql: `UPDATE agent_approvals SET state = 'cancelled', decided_at = ? WHERE run IN (${sql}) AND state IN ('waiting', 'held')`,
      args: [at, ...args],
    },
    {
      sql: `UPDATE agent_steps SET state = iif(state = 'begun' AND effect = 'external', 'unknown', 'failed'), reason = ?, ended_at = ?
      WHERE run IN (${sql}) AND state IN ('planned', 'waiting', 'begun')`,
      args: [reason, at, ...args],
    },
  ]
}

/** Continues the runs that match a condition. */
export const requeued = (where: string): string =>
  `UPDATE agent_runs SET state = 'queued', waits_for = NULL, due_at = NULL WHERE ${where}`

/** Requeues runs that stopped Hosts left running, and runs that wait for ingress or, after a clock change, too long. */
export const takingOver = (now: number, longestPause: number): Statement => {
  const waits = "state = 'waiting' AND (waits_for = 'ingress' OR (waits_for = 'retry' AND due_at > ?))"
  return {sql: requeued(`state = 'running' OR (${waits})`), args: [now + longestPause]}
}

/**
 * Holds runs of these agents, `[agent, milliseconds]`, that were cut off for longer. The last moment known of a run is
 * that of its steps, its decisions, or the end of its Host.
 */
export const holdingCutOff = (limits: readonly (readonly [string, number])[], now: number): Statement => ({
  sql: `UPDATE agent_runs SET state = 'held', reason = 'cut_off', waits_for = NULL, due_at = NULL
    WHERE seq IN (SELECT r.seq FROM json_each(?1) l CROSS JOIN agent_runs r ON r.agent = l.value ->> 0
      WHERE (r.state = 'running' OR (r.state = 'queued' AND r.attempt > 0) OR (r.state = 'waiting' AND r.waits_for = 'retry'))
        AND ?2 - (l.value ->> 1) > max(r.started_at,
          coalesce((SELECT max(max(coalesce(s.begun_at, 0), coalesce(s.ended_at, 0))) FROM agent_steps s WHERE s.run = r.seq), 0),
          coalesce((SELECT max(a.decided_at) FROM agent_approvals a WHERE a.run = r.seq), 0),
          coalesce(${runEndSql("r.runtime_id")}, 0)))`,
  args: [toJson(limits), now],
})

/** Selects the endpoints to which unfinished runs stream their answers. */
export const selectStreamed = `SELECT DISTINCT endpoint FROM agent_runs WHERE state IN ${openStates} AND message IS NOT NULL`

/** Platforms inside the Host have forgotten the messages of earlier Hosts: an answer there starts as a new message. */
export const forgettingStreamed = (endpoints: readonly string[]): Statement => ({
  sql: `UPDATE agent_runs SET message = NULL WHERE state IN ${openStates} AND endpoint IN (SELECT value FROM json_each(?))`,
  args: [toJson(endpoints)],
})

/** Selects queued runs, oldest first, of agents other than these. */
export const selectQueued = `SELECT seq, agent, attempt FROM agent_runs WHERE state = 'queued'
  AND agent NOT IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT 200`

export const selectNextDue =
  "SELECT due_at AS at FROM agent_runs INDEXED BY agent_runs_due WHERE state = 'waiting' AND due_at IS NOT NULL ORDER BY due_at LIMIT 1"

/** Continues the runs that are due, and expires approvals that nobody has decided. */
export const wakingDue = (now: number): readonly Statement[] => [
  {
    sql: "UPDATE agent_approvals SET state = 'expired', decided_at = ?1 WHERE state = 'waiting' AND expires_at <= ?1",
    args: [now],
  },
  {sql: requeued("state = 'waiting' AND due_at <= ?"), args: [now]},
]

/** Continues a run after its pause, if the pause is the one that this attempt started. */
export const wakingRetry = ({seq, attempt}: Pick<AgentRun, "seq" | "attempt">): Statement => ({
  sql: requeued("seq = ? AND attempt = ? AND state = 'waiting' AND waits_for = 'retry'"),
  args: [seq, attempt],
})

export const wakingIngress: Statement = {
  sql: "UPDATE agent_runs SET state = 'queued', waits_for = NULL WHERE state = 'waiting' AND waits_for = 'ingress'",
}
export const someWaitForIngress = "EXISTS (SELECT 1 FROM agent_runs WHERE state = 'waiting' AND waits_for = 'ingress')"
export const someLeft = "EXISTS (SELECT 1 FROM agent_runs WHERE state IN ('running', 'waiting'))"

/**
 * Selects earlier questions of the same user to the same agent in the same channel, with the answers, newest first: those
 * since a time and a run.
 */
export const selectEarlier = `SELECT seq, input, answer, created_at FROM agent_runs
  WHERE endpoint = ?1 AND user = ?2 AND agent = ?3 AND channel = ?4 AND seq < ?5 AND state = 'succeeded' AND created_at > ?6 AND item IS NULL
    AND cause <> 'summary' AND seq >= ?9 AND answer IS NOT NULL AND place ->> '$.user.account' IS ?7 ORDER BY seq DESC LIMIT ?8`

/** Selects such runs by their numbers. One that was erased since has no answer. */
export const selectPinned = `SELECT seq, input, answer, created_at FROM agent_runs
  WHERE seq IN (SELECT value FROM json_each(?)) AND answer IS NOT NULL ORDER BY seq DESC`
