import type {AgentReason, AgentRunState, AgentTrigger, AgentWait} from "../../../shared/agents/states.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import type {Permission} from "../../../shared/sdk/permission.ts"
import type {Row, Statement} from "../../../shared/sdk/plugin/database.ts"
import type {Channel, User} from "../../../shared/sdk/satori.ts"
import {assertThat} from "../../database/database.ts"
import type {RunRequest} from "../service.ts"

/** The conversation that a run belongs to, as it was when the run was asked for. */
interface Place {
  readonly channel?: Channel
  readonly user?: User
  /** What an operator gave a run without a user. */
  readonly permission?: Permission
}

/** A run as its row has it. Money is in millionths; times are in milliseconds since 1970. */
export interface AgentRun {
  readonly seq: number
  readonly runId: string
  readonly agent: string
  readonly trigger: AgentTrigger
  readonly state: AgentRunState
  readonly attempt: number
  readonly endpoint: string | undefined
  readonly channel: string | undefined
  readonly place: Place
  readonly event: number | undefined
  readonly item: number | undefined
  readonly plugin: string | undefined
  readonly input: string
  /** The outbox id of the message that its answer is streamed into. */
  readonly message: string | undefined
  /** Tries of the model since one succeeded. */
  readonly failures: number
  readonly steps: number
  readonly tokens: number
  readonly money: number
  /** Milliseconds that it has worked. */
  readonly active: number
  readonly createdAt: number
}

const textOf = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : String(value)
const numberOf = (value: unknown): number | undefined =>
  value === null || value === undefined ? undefined : Number(value)

export const runOf = (row: Row): AgentRun => ({
  seq: Number(row.seq),
  runId: String(row.run_id),
  agent: String(row.agent),
  trigger: row.cause as AgentTrigger,
  state: row.state as AgentRunState,
  attempt: Number(row.attempt),
  endpoint: textOf(row.endpoint),
  channel: textOf(row.channel),
  place: fromJson(String(row.place)) as Place,
  event: numberOf(row.inbox_seq),
  item: numberOf(row.item),
  plugin: textOf(row.plugin),
  input: String(row.input),
  message: textOf(row.message),
  failures: Number(row.failures),
  steps: Number(row.steps),
  tokens: Number(row.tokens),
  money: Number(row.money),
  active: Number(row.active_ms),
  createdAt: Number(row.created_at),
})

/** Where a run belongs, where that is in a conversation. */
export const conversationOf = ({endpoint, channel}: Pick<AgentRun, "endpoint" | "channel">) =>
  endpoint === undefined || channel === undefined ? undefined : {endpoint, channel}

/** Where a run is shown: in its conversation, unless it works on an item, whose comments it has. */
export const shownIn = (run: Pick<AgentRun, "endpoint" | "channel" | "item">) =>
  run.item === undefined ? conversationOf(run) : undefined

/** Stores a run, unless its request has made one before. */
export const queueing = (runId: string, request: RunRequest, at: number): Statement => {
  const {agent, trigger, input, endpoint, channel, user, permission, event, item, plugin} = request
  return {
    sql: `INSERT INTO agent_runs (run_id, agent, cause, request, endpoint, channel, user, place, inbox_seq, item, plugin, input, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (request) DO NOTHING RETURNING run_id`,
    args: [
      ...[runId, agent, trigger, request.request ?? null, endpoint ?? null, channel?.id ?? null, user?.id ?? null],
      ...[toJson({channel, user, permission}), event ?? null, item ?? null, plugin ?? null, input, at],
    ],
  }
}

export const selectKnown = "SELECT run_id FROM agent_runs WHERE request = ? OR run_id = ?"

/** Returns the row of a run that this Host has taken up: once for each attempt. */
export const claiming = (seq: number, attempt: number, runtimeId: string, at: number): Statement => ({
  sql: `UPDATE agent_runs SET state = 'running', attempt = ?2, runtime_id = ?3, started_at = coalesce(started_at, ?4), waits_for = NULL, due_at = NULL
    WHERE seq = ?1 AND (state = 'queued' OR (state = 'running' AND attempt = ?2 AND runtime_id = ?3)) RETURNING *`,
  args: [seq, attempt, runtimeId, at],
})

/** What a batch of an attempt begins with: it is refused once the run was cancelled, or another Host has taken it up. */
export const assertAttempt = ({seq, attempt}: Pick<AgentRun, "seq" | "attempt">): Statement =>
  assertThat("EXISTS (SELECT 1 FROM agent_runs WHERE seq = ? AND attempt = ? AND state = 'running')", [seq, attempt])

export const selectIsRunning = "SELECT 1 FROM agent_runs WHERE seq = ? AND attempt = ? AND state = 'running'"

/** The attempt is over, and the run goes on later: at `due` by itself, where there is one. */
export const parking = (
  {seq}: Pick<AgentRun, "seq">,
  waitsFor: AgentWait,
  due?: number,
  error?: string,
): Statement => ({
  sql: "UPDATE agent_runs SET state = 'waiting', waits_for = ?, due_at = ?, error = ? WHERE seq = ?",
  args: [waitsFor, due ?? null, error ?? null, seq],
})

/** Likewise, for a person's word about a step: it goes on at once where the word was given meanwhile. */
export const parkingForApproval = ({seq}: Pick<AgentRun, "seq">, n: number, due: number): Statement => ({
  sql: `UPDATE agent_runs SET (state, waits_for, due_at) = (
    SELECT iif(count(*) > 0, 'waiting', 'queued'), iif(count(*) > 0, 'approval', NULL), iif(count(*) > 0, ?, NULL)
    FROM agent_approvals WHERE run = agent_runs.seq AND n = ? AND state IN ('waiting', 'held')) WHERE seq = ?`,
  args: [due, n, seq],
})

/** The Host stops: the run goes on with the next start. */
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

const openStates = "('queued', 'running', 'waiting', 'held')"

/** Ends a run that has not ended; returns its row then. */
export const endingRun = (seq: number, {state, answer, reason, error}: RunEnd, at: number): Statement => ({
  sql: `UPDATE agent_runs SET state = ?, answer = coalesce(?, answer), reason = ?, error = ?, ended_at = ?, waits_for = NULL, due_at = NULL
    WHERE seq = ? AND state IN ${openStates} RETURNING *`,
  args: [state, answer ?? null, reason ?? null, error ?? null, at, seq],
})

/** Goes with the end of a run: its open approvals and steps have ended, too. A step that is cut off may have been done. */
export const closingSteps = (seq: number, reason: AgentReason, at: number): readonly Statement[] => [
  {
    sql: "UPDATE agent_approvals SET state = 'cancelled', decided_at = ? WHERE run = ? AND state IN ('waiting', 'held')",
    args: [at, seq],
  },
  {
    sql: `UPDATE agent_steps SET state = iif(state = 'begun' AND effect = 'external', 'unknown', 'failed'), reason = ?, ended_at = ?
      WHERE run = ? AND state IN ('planned', 'waiting', 'begun')`,
    args: [reason, at, seq],
  },
]

/** What ended Hosts left running goes on; so does what waited for ingress, or for a time that a clock set back puts too far away. */
export const takingOver = (now: number, longestPause: number): Statement => ({
  sql: `UPDATE agent_runs SET state = 'queued', waits_for = NULL, due_at = NULL
    WHERE state = 'running' OR (state = 'waiting' AND (waits_for = 'ingress' OR (waits_for = 'retry' AND due_at > ?)))`,
  args: [now + longestPause],
})

/** Where runs that have not ended stream their answers to. */
export const selectStreamed = `SELECT DISTINCT endpoint FROM agent_runs WHERE state IN ${openStates} AND message IS NOT NULL`

/** What lives in the Host has forgotten the messages of earlier ones: an answer there begins as a message again. */
export const forgettingStreamed = (endpoints: readonly string[]): Statement => ({
  sql: `UPDATE agent_runs SET message = NULL WHERE state IN ${openStates} AND endpoint IN (SELECT value FROM json_each(?))`,
  args: [toJson(endpoints)],
})

/** Runs that may be taken up, the oldest first, of other agents than these. */
export const selectQueued = `SELECT seq, agent, attempt FROM agent_runs WHERE state = 'queued'
  AND agent NOT IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT 200`

export const selectNextDue =
  "SELECT due_at AS at FROM agent_runs INDEXED BY agent_runs_due WHERE state = 'waiting' AND due_at IS NOT NULL ORDER BY due_at LIMIT 1"

/** What is due at a time goes on; approvals that nobody has decided have expired. */
export const wakingDue = (now: number): readonly Statement[] => [
  {
    sql: "UPDATE agent_approvals SET state = 'expired', decided_at = ?1 WHERE state = 'waiting' AND expires_at <= ?1",
    args: [now],
  },
  {
    sql: "UPDATE agent_runs SET state = 'queued', waits_for = NULL, due_at = NULL WHERE state = 'waiting' AND due_at <= ?",
    args: [now],
  },
]

/** Goes on with a run whose pause is over: the pause that this attempt began, and no later one. */
export const wakingRetry = ({seq, attempt}: Pick<AgentRun, "seq" | "attempt">): Statement => ({
  sql: `UPDATE agent_runs SET state = 'queued', waits_for = NULL, due_at = NULL
    WHERE seq = ? AND attempt = ? AND state = 'waiting' AND waits_for = 'retry'`,
  args: [seq, attempt],
})

export const wakingIngress: Statement = {
  sql: "UPDATE agent_runs SET state = 'queued', waits_for = NULL WHERE state = 'waiting' AND waits_for = 'ingress'",
}
export const someWaitForIngress = "EXISTS (SELECT 1 FROM agent_runs WHERE state = 'waiting' AND waits_for = 'ingress')"
export const someLeft = "EXISTS (SELECT 1 FROM agent_runs WHERE state IN ('running', 'waiting'))"

/** What the same user has asked the same agent in the same channel before, and its answers, newest first. */
export const selectEarlier = `SELECT input, answer FROM agent_runs
  WHERE endpoint = ?1 AND user = ?2 AND agent = ?3 AND channel = ?4 AND seq < ?5 AND state = 'succeeded' AND created_at > ?6 AND item IS NULL
  ORDER BY seq DESC LIMIT ?7`
