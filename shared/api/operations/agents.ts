import {approvalStates} from "../../agents/states.ts"
import {Named, NamedClosed, Optional, Type} from "../../type.ts"
import {
  AgentAsk,
  AgentCheck,
  AgentRunDetail,
  AgentRunView,
  AgentView,
  ApprovalView,
  mcpStates,
} from "../agents/agents.ts"
import {AgentContext} from "../agents/context.ts"
import {AgentRunPage, RunPage, RunQuery} from "../agents/runs.ts"
import {Accepted, BulkChanged, CutRequest, WaitingRuns} from "../messages.ts"
import {PageQuery, page} from "../pages.ts"
import {RunView} from "../scheduled/jobs.ts"
import {get, post} from "./operation.ts"

/** The operations on agents, their approvals, and the runs of jobs and agents. */

const onAgentRun = <const N extends string>(action: N, summary: string) =>
  post(`/api/runs/:id/${action}`, "operator", {
    summary,
    answer: Named("AgentRunsChanged", {runs: Type.Integer()}),
    problems: ["agent_run_unknown", "agent_run_state"],
  })

export const runOperations = {
  list: get("/api/runs", "demo", {
    summary: "Runs of jobs, or of agents, newest first",
    query: RunQuery,
    answer: Type.Union([RunPage, AgentRunPage]),
  }),
  show: get("/api/runs/:id", "demo", {
    summary: "One run; an agent's run comes with its steps, approvals and limits",
    answer: Type.Union([RunView, AgentRunDetail]),
    problems: ["run_unknown"],
  }),
  context: get("/api/runs/:id/context", "demo", {
    summary: "What a run of an agent sent to its model with each call, and the tokens of each part",
    answer: AgentContext,
    problems: ["agent_run_unknown", "agent_unknown"],
  }),
  cancel: post("/api/runs/:id/cancel", "operator", {
    summary: "Cancel a run that has not ended; messages that a job's run has queued are not sent",
    answer: Type.Union([RunView, AgentRunView]),
    problems: ["run_unknown", "run_state", "agent_run_state"],
  }),
  release: onAgentRun("release", "Continue a held run of an agent, or with the id `held` all of them"),
  discard: onAgentRun("discard", "End a held run of an agent, or with the id `held` all of them"),
  hold: onAgentRun("hold", "Hold a run of an agent that is queued or waits, until somebody releases it"),
  bulk: post("/api/runs/bulk", "operator", {
    summary: "Discard or hold all runs of agents that are queued or wait and match the filters, a page at a time",
    query: WaitingRuns,
    body: CutRequest,
    answer: BulkChanged,
  }),
}

export const agentOperations = {
  list: get("/api/agents", "demo", {
    summary: "The agent bindings of the configuration, with their state and activity",
    answer: Named("AgentList", {items: Type.Array(AgentView)}),
  }),
  show: get("/api/agents/:name", "demo", {
    summary: "One agent binding",
    answer: AgentView,
    problems: ["agent_unknown"],
  }),
  run: post("/api/agents/:name/run", "operator", {
    summary: "Ask an agent something; the run is durable once this returns",
    body: AgentAsk,
    answer: Accepted,
    status: 202,
    problems: ["agent_unknown", "agent_disabled", "agent_misconfigured", "ingress_paused"],
  }),
  accept: post("/api/agents/:name/mcp/:server/accept", "operator", {
    summary: "Accept what an agent's MCP server has changed or added: one tool, or all that wait",
    body: NamedClosed("McpAccept", {tool: Optional.String({minLength: 1})}),
    answer: Named("McpAccepted", {tools: Type.Integer()}),
    problems: ["agent_unknown", "mcp_unknown"],
  }),
  signIn: post("/api/agents/:name/mcp/:server/sign-in", "operator", {
    summary: "Begin a sign-in to an agent's MCP server, which replaces an earlier one that is open",
    body: NamedClosed("McpSignIn", {
      redirect: Type.String({
        pattern: "^http://(127\\.0\\.0\\.1|localhost|\\[::1\\]):[0-9]{1,5}/",
        description: "Where this machine waits for the browser",
      }),
    }),
    answer: Named("McpSignInBegun", {url: Type.String({description: "Where a person signs in, within ten minutes"})}),
    problems: ["agent_unknown", "mcp_unknown", "mcp_sign_in"],
  }),
  finishSignIn: post("/api/agents/:name/mcp/:server/answer", "operator", {
    summary: "Complete a sign-in with what the authorization server sent back",
    body: NamedClosed("McpSignInAnswer", {
      state: Type.String({minLength: 1, maxLength: 1000}),
      code: Type.String({minLength: 1, maxLength: 10_000}),
      iss: Optional.String({maxLength: 2000}),
    }),
    answer: Named("McpSignedIn", {state: Type.Enum([...mcpStates])}),
    problems: ["agent_unknown", "mcp_unknown", "mcp_sign_in"],
  }),
  check: post("/api/agents/:name/check", "operator", {
    summary: "Call an agent's model once to check that it answers",
    answer: AgentCheck,
    problems: ["agent_unknown", "agent_disabled", "agent_misconfigured"],
  }),
}

const onApproval = <const N extends string>(action: N, summary: string) =>
  post(`/api/approvals/:id/${action}`, "operator", {
    summary,
    body: NamedClosed("ApprovalDecision", {
      by: Optional.String({minLength: 1, maxLength: 200, description: "Who decides; the operator when left out"}),
      reason: Optional.String({maxLength: 500, private: true, description: "For the model and for people"}),
    }),
    answer: ApprovalView,
    problems: ["approval_unknown", "approval_state"],
  })

export const approvalOperations = {
  list: get("/api/approvals", "demo", {
    summary: "Requests for a person's approval of an agent's tool call, newest first",
    query: Type.Object({...PageQuery.properties, state: Optional.Enum([...approvalStates])}),
    answer: page(ApprovalView),
  }),
  approve: onApproval("approve", "Approve a tool call that waits for a decision"),
  deny: onApproval("deny", "Deny a tool call that waits for a decision"),
}
