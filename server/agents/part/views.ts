import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentRunDetail, AgentRunView, AgentStepView, ApprovalView} from "../../../shared/api/agents/agents.ts"
import {fromJson} from "../../../shared/json.ts"
import type {Row} from "../../../shared/sdk/session/database.ts"
import {numberOrNull, textOrNull, timeOf} from "../../database/lists/pages.ts"

/** Rows store money in millionths. */
export const moneyOf = (millionths: unknown): number => Number(millionths) / 1e6

/** A row of `agent_runs`. */
export const viewAgentRun = (row: Row): AgentRunView => ({
  kind: "agent",
  runId: String(row.run_id),
  seq: Number(row.seq),
  agent: String(row.agent),
  trigger: row.cause as AgentRunView["trigger"],
  state: row.state as AgentRunView["state"],
  waitsFor: row.waits_for as AgentRunView["waitsFor"],
  dueAt: timeOf(row.due_at),
  attempt: Number(row.attempt),
  endpoint: textOrNull(row.endpoint),
  channel: textOrNull(row.channel),
  user: textOrNull(row.user),
  item: numberOrNull(row.item),
  plugin: textOrNull(row.plugin),
  event: numberOrNull(row.inbox_seq),
  message: textOrNull(row.message),
  reason: textOrNull(row.reason),
  error: textOrNull(row.error),
  steps: Number(row.steps),
  tokens: Number(row.tokens),
  money: moneyOf(row.money),
  createdAt: timeOf(row.created_at) ?? "",
  startedAt: timeOf(row.started_at),
  endedAt: timeOf(row.ended_at),
  runtimeId: textOrNull(row.runtime_id),
})

/** A row of `agent_steps`. */
export const viewStep = (row: Row): AgentStepView => ({
  step: Number(row.n),
  kind: row.kind as AgentStepView["kind"],
  name: String(row.name),
  effect: row.effect as AgentStepView["effect"],
  state: row.state as AgentStepView["state"],
  begun: Number(row.begun),
  reason: textOrNull(row.reason),
  error: textOrNull(row.error),
  input: storedValue(row.input),
  output: storedValue(row.output),
  tokensIn: numberOrNull(row.tokens_in),
  tokensOut: numberOrNull(row.tokens_out),
  money: row.money === null ? null : moneyOf(row.money),
  begunAt: timeOf(row.begun_at),
  endedAt: timeOf(row.ended_at),
})

/** The model's output may not be JSON. Then it is shown as text. */
const storedValue = (text: unknown): unknown => {
  if (text === null || text === undefined) return null
  try {
    return fromJson(String(text))
  } catch {
    return String(text)
  }
}

/** A row of `agent_approvals` with `run_id` and `agent` of its run. */
export const viewApproval = (row: Row): ApprovalView => ({
  seq: Number(row.seq),
  id: String(row.id),
  runId: String(row.run_id),
  agent: String(row.agent),
  step: Number(row.n),
  tool: String(row.tool),
  state: row.state as ApprovalView["state"],
  shown: String(row.shown),
  permission: row.permission as ApprovalView["permission"],
  endpoint: textOrNull(row.endpoint),
  channel: textOrNull(row.channel),
  askedAt: timeOf(row.asked_at) ?? "",
  expiresAt: timeOf(row.expires_at) ?? "",
  decidedAt: timeOf(row.decided_at),
  decidedBy: textOrNull(row.decided_by),
  reason: textOrNull(row.reason),
})

/** The use of a run against the current limits of its binding; empty without a binding. */
export const limitsOfRun = (row: Row, binding: Binding | undefined): AgentRunDetail["limits"] => {
  if (binding === undefined) return []
  const {steps, seconds, tokens, money} = binding.config.limits
  return [
    {what: "steps", limit: steps, used: Number(row.steps)},
    {what: "seconds", limit: seconds, used: Number(row.active_ms) / 1000},
    {what: "tokens", limit: tokens, used: Number(row.tokens)},
    ...(money === undefined ? [] : [{what: "money" as const, limit: money, used: moneyOf(row.money)}]),
  ]
}
