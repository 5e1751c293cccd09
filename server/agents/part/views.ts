import type {Binding} from "../../../shared/agents/binding.ts"
import {type AgentRunDetail, AgentRunView, AgentStepView, ApprovalView} from "../../../shared/api/agents/agents.ts"
import {fromJson} from "../../../shared/json.ts"
import type {Row} from "../../../shared/sdk/session/database.ts"
import {tryOr} from "../../../shared/try-or.ts"
import {rowReader} from "../../database/lists/rows.ts"

/** Rows store money in millionths. */
export const moneyOf = (millionths: unknown): number => Number(millionths) / 1e6

const readRun = rowReader(AgentRunView, {trigger: "cause", event: "inbox_seq"})

export const viewAgentRun = (row: Row): AgentRunView => ({...readRun(row), money: moneyOf(row.money)})

const readStep = rowReader(AgentStepView, {step: "n"})

export const viewStep = (row: Row): AgentStepView => ({
  ...readStep(row),
  input: storedValue(row.input),
  output: storedValue(row.output),
  money: row.money === null ? null : moneyOf(row.money),
})

/** The model's output may not be JSON. Then it is shown as text. */
const storedValue = (text: unknown): unknown => {
  if (text === null || text === undefined) return null
  return tryOr(() => fromJson(String(text)), String(text))
}

/** A row of `agent_approvals` with `run_id` and `agent` of its run. */
export const viewApproval = rowReader(ApprovalView, {step: "n"})

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
