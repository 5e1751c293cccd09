import {
  AgentAsk,
  AgentCheck,
  type AgentRunDetail,
  AgentRunsChanged,
  AgentView,
  ApprovalDecision,
  ApprovalQuery,
  ApprovalView,
} from "../../../../shared/api/agents/agents.ts"
import {Accepted, CutRequest, WaitingRuns} from "../../../../shared/api/messages.ts"
import {Problem} from "../../../../shared/problems.ts"
import {type Static, Type} from "../../../../shared/type.ts"
import type {Bindings} from "../../../agents/bindings/bindings.ts"
import type {AgentService} from "../../../agents/service.ts"
import type {Database, Row} from "../../../database/database.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../../runtime/flow/time-limit.ts"
import {heldOr, inBulk} from "../../bulk.ts"
import {answering, newestFirst, type Operation, textOrNull} from "../../operations.ts"
import {searchWaiting} from "../../search.ts"
import {viewBindings} from "./binding-view.ts"
import {limitsOfRun, viewAgentRun, viewApproval, viewStep} from "./views.ts"

/** Selects approvals `a` with the id and agent of their run. The condition is on `a`, so that its index is used. */
export const selectApprovals = (condition: string, order: string): string =>
  `SELECT a.*, r.run_id, r.agent FROM agent_approvals a CROSS JOIN agent_runs r ON r.seq = a.run
    WHERE ${condition} ORDER BY ${order}`

export const listApprovals = (database: Database): Operation =>
  newestFirst({
    summary: "Requests for a person's approval of an agent's tool call, newest first",
    query: ApprovalQuery,
    item: ApprovalView,
    numberOf: ({seq}) => seq,
    read: async ({query}, before, most) => {
      const {state} = query as Static<typeof ApprovalQuery>
      const condition = `a.seq < ?${state === undefined ? "" : " AND a.state = ?"}`
      const values = state === undefined ? [before, most] : [before, state, most]
      return (await database.read(`${selectApprovals(condition, "a.seq DESC")} LIMIT ?`, values)).map(viewApproval)
    },
  })

const summaries = {
  approve: "Approve a tool call that waits for a decision",
  deny: "Deny a tool call that waits for a decision",
} as const

export const decideApproval = (
  agents: AgentService,
  database: Database,
  action: keyof typeof summaries,
): Operation => ({
  summary: summaries[action],
  body: ApprovalDecision,
  response: {200: ApprovalView},
  problems: ["approval_unknown", "approval_state"],
  handle: async (_, call) => {
    const {id = ""} = call.params
    const {by = "operator", reason} = (await call.body()) as Static<typeof ApprovalDecision>
    await agents.decide(id, {approve: action === "approve", by, ...(reason === undefined ? {} : {reason})})
    const [row] = await database.read(selectApprovals("a.id = ?", "a.seq"), [id])
    if (row === undefined) throw new Problem("approval_unknown", `there is no approval ${id}`)
    return call.json(ApprovalView, viewApproval(row))
  },
})

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

const runActions = {
  release: "Continue a held run of an agent, or with the id `held` all of them",
  discard: "End a held run of an agent, or with the id `held` all of them",
  hold: "Hold a run of an agent that is queued or waits, until somebody releases it",
} as const

export const actOnAgentRun = (agents: AgentService, action: keyof typeof runActions): Operation => ({
  summary: runActions[action],
  response: {200: AgentRunsChanged},
  problems: ["agent_run_unknown", "agent_run_state"],
  handle: async (_, call) => {
    const {id = ""} = call.params
    const on = heldOr(id, action, () => ({runId: id}))
    return call.json(AgentRunsChanged, {runs: await agents.act(action, on)})
  },
})

export const cutAgentRuns = (agents: AgentService, database: Database): Operation =>
  inBulk({
    summary: "Discard or hold all runs of agents that are queued or wait and match the filters, a page at a time",
    query: WaitingRuns,
    body: CutRequest,
    search: searchWaiting(database, {table: "agent_runs", states: ["queued", "waiting"], since: "created_at"}),
    act: (action, rows) => agents.act(action, {runId: rows.map(({run_id}) => String(run_id))}),
    view: row => {
      const {runId, createdAt, user, channel, agent, trigger} = viewAgentRun(row)
      return {id: runId, at: createdAt, who: user ?? channel, text: `${agent}, ${trigger}`}
    },
  })

const AgentList = Type.Object({items: Type.Array(AgentView)}, {title: "AgentList"})

export const listAgents = (bindings: Bindings, database: Database): Operation => ({
  summary: "The agent bindings of the configuration, with their state and activity",
  response: {200: AgentList},
  handle: async (_, call) => call.json(AgentList, {items: await viewBindings(bindings, database)}),
})

export const showAgent = (bindings: Bindings, database: Database): Operation => ({
  summary: "One agent binding",
  response: {200: AgentView},
  problems: ["agent_unknown"],
  handle: async (_, call) => {
    const [view] = await viewBindings(bindings, database, [bindings.require(call.params.name ?? "")])
    return call.json(AgentView, view)
  },
})

export const runAgent = answering({
  summary: "Ask an agent something; the run is durable once this returns",
  body: AgentAsk,
  answer: Accepted,
  status: 202,
  problems: ["agent_unknown", "agent_disabled", "agent_misconfigured", "ingress_paused"],
  run: async ({body, params: {name = ""}}, agents: AgentService) => ({
    id: await agents.queue({agent: name, trigger: "operator", ...body}),
  }),
})

/** A check's time limit, in milliseconds: below a request's minute, so that the answer can say if a provider hangs. */
const checkTime = 45_000

export const checkAgent = (agents: AgentService, bindings: Pick<Bindings, "require">): Operation => ({
  summary: "Call an agent's model once to check that it answers",
  response: {200: AgentCheck},
  problems: ["agent_unknown", "agent_disabled", "agent_misconfigured"],
  handle: async (request, call) => {
    const {name, config} = bindings.require(call.params.name ?? "")
    const began = performance.now()
    try {
      const checked = await withTimeLimit(checkTime, signal => agents.check(name, signal), request.signal)
      return call.json(AgentCheck, checked)
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) throw error
      return call.json(AgentCheck, {
        ok: false,
        milliseconds: Math.round(performance.now() - began),
        model: config.model,
        answer: null,
        tokens: null,
        problem: `the model did not answer within ${checkTime / 1000} s`,
        hint: "Check that the provider's server runs, and that baseURL is its address.",
      })
    }
  },
})
