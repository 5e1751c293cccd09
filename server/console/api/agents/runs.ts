import {type AgentRunDetail, AgentRunsChanged} from "../../../../shared/api/agents/agents.ts"
import type {Row} from "../../../../shared/sdk/plugin/database.ts"
import type {Operation} from "../../../../shared/sdk/route.ts"
import type {Bindings} from "../../../agents/bindings/bindings.ts"
import type {AgentService} from "../../../agents/service.ts"
import type {Database} from "../../../database/database.ts"
import {textOrNull} from "../../paging.ts"
import {selectApprovals} from "./approvals.ts"
import {limitsOfRun, viewAgentRun, viewApproval, viewStep} from "./views.ts"

export const findAgentRun = async (database: Database, runId: string): Promise<Row | undefined> => {
  const [row] = await database.read("SELECT * FROM agent_runs WHERE run_id = ?", [runId])
  return row
}

/** A run with its steps in order, and its approvals. */
export const detailOf = async (
  database: Database,
  bindings: Pick<Bindings, "find">,
  row: Row,
): Promise<AgentRunDetail> => {
  const [steps, approvals] = await Promise.all([
    database.read("SELECT * FROM agent_steps WHERE run = ? ORDER BY n", [Number(row.seq)]),
    database.read(selectApprovals("a.run = ?", "a.n, a.seq"), [Number(row.seq)]),
  ])
  return {
    ...viewAgentRun(row),
    input: String(row.input),
    answer: textOrNull(row.answer),
    trail: steps.map(viewStep),
    approvals: approvals.map(viewApproval),
    limits: limitsOfRun(row, bindings.find(String(row.agent))),
  }
}

const one = {
  release: "Continue an agent's run that a restore holds",
  discard: "End an agent's run that a restore holds",
} as const
const all = {
  release: "Continue all runs of agents that a restore holds",
  discard: "End all runs of agents that a restore holds",
} as const

export const actOnAgentRun = (agents: AgentService, action: keyof typeof one): Operation => ({
  summary: one[action],
  response: {200: AgentRunsChanged},
  problems: ["agent_run_unknown", "agent_run_state"],
  handle: async (_, call) =>
    call.json(AgentRunsChanged, {runs: await agents.actOnHeld(action, {runId: call.params.id ?? ""})}),
})

export const actOnHeldAgentRuns = (agents: AgentService, action: keyof typeof all): Operation => ({
  summary: all[action],
  response: {200: AgentRunsChanged},
  handle: async (_, call) => call.json(AgentRunsChanged, {runs: await agents.actOnHeld(action, "held")}),
})
