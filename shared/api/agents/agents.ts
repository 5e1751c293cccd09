import {
  agentReasons,
  agentRunStates,
  agentStepStates,
  agentTriggers,
  agentWaits,
  approvalStates,
  toolEffects,
} from "../../agents/states.ts"
import {permissions} from "../../sdk/session/permission.ts"
import {Named, NamedClosed, Optional, orNull, type Static, Time, Type} from "../../type.ts"
import {readinessReasons} from "../readiness.ts"

/** Agents as the HTTP API shows them. A demo token sees states, but no text: fields marked `private` are left out. */

const reasonOf = (description: string) =>
  orNull(Type.String({description: `${description}: ${Object.keys(agentReasons).join(", ")}`}))

export const AgentToolView = Named("AgentToolView", {
  name: Type.String(),
  description: Type.String({private: true}),
  effect: Type.Enum([...toolEffects]),
  permission: Type.Enum([...permissions], {description: "The permission that the asking user needs"}),
  approval: Type.Boolean({description: "A person must approve each call"}),
})

export const mcpStates = ["idle", "connecting", "online", "failed", "needs_sign_in"] as const

export const AgentMcpView = Named("AgentMcpView", {
  name: Type.String(),
  transport: Type.Enum(["stdio", "http"]),
  state: Type.Enum([...mcpStates], {description: "A server that is idle starts with the next call"}),
  since: orNull(Time()),
  error: orNull(Type.String(), {private: true}),
  tools: Type.Array(
    Named("AgentMcpTool", {
      name: Type.String(),
      state: Type.Enum(["accepted", "waiting"], {
        description: "Waiting: the server has changed or added it, and an operator must accept it",
      }),
      description: Type.String({private: true, description: "What the server offers"}),
    }),
  ),
})
export type AgentMcpView = Static<typeof AgentMcpView>

export const AgentView = Named("AgentView", {
  name: Type.String(),
  enabled: Type.Boolean(),
  description: Type.String({private: true}),
  provider: Type.String(),
  model: Type.String(),
  baseURL: orNull(Type.String(), {private: true, description: "Null for the provider's own address"}),
  models: Type.Array(
    Named("AgentModel", {
      provider: Type.String(),
      model: Type.String(),
      state: Type.Enum(["ready", "cooling"], {description: "Cooling: it failed, and runs first call the others"}),
      inUse: Type.Boolean({description: "The next run begins with it"}),
    }),
    {description: "The usual model, then its fallbacks"},
  ),
  configured: Type.Boolean({description: "The result of the check `binding_configured`, which uses no network"}),
  reason: orNull(Type.Enum(Object.keys(readinessReasons)), {description: "A code for why it is not configured"}),
  problem: orNull(Type.String(), {private: true, description: "Why it is not configured, in words"}),
  permission: Type.Enum(["none", ...permissions], {description: "The permission of runs without a user"}),
  triggers: Type.Array(Type.Enum([...agentTriggers]), {description: "What starts runs, as configured"}),
  tools: Type.Array(AgentToolView),
  mcp: Type.Array(AgentMcpView),
  runs: Named("AgentRunCounts", {
    queued: Type.Integer(),
    running: Type.Integer(),
    waiting: Type.Integer(),
    held: Type.Integer(),
    succeeded: Type.Integer({description: "All since the first run"}),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
  }),
  approvals: Type.Integer({description: "Approvals that wait for a person"}),
  today: Named("AgentToday", {
    runs: Type.Integer(),
    tokens: Type.Integer(),
    money: Type.Number({description: "In the unit of the binding's prices"}),
    limits: Type.Array(
      Named("AgentLimit", {
        of: Type.Enum(["run", "user", "channel", "day"]),
        what: Type.Enum(["steps", "seconds", "runs", "tokens", "money", "parallel"]),
        limit: Type.Number(),
        used: orNull(Type.Number(), {description: "Null if it counts for each run, user or channel separately"}),
      }),
    ),
  }),
  lastRun: orNull(
    Named("AgentLastRun", {
      runId: Type.String(),
      state: Type.Enum([...agentRunStates]),
      reason: reasonOf("Why it failed"),
      endedAt: orNull(Time()),
    }),
  ),
})
export type AgentView = Static<typeof AgentView>

export const ApprovalView = Named("ApprovalView", {
  seq: Type.Integer(),
  id: Type.String(),
  runId: Type.String(),
  agent: Type.String(),
  step: Type.Integer(),
  tool: Type.String(),
  state: Type.Enum([...approvalStates]),
  shown: Type.String({private: true, description: "What the call will do, as svc shows it to the person"}),
  permission: Type.Enum([...permissions], {description: "The permission to decide in chat"}),
  endpoint: orNull(Type.String({description: "Where it was asked"})),
  channel: orNull(Type.String({private: true})),
  askedAt: Time(),
  expiresAt: Time(),
  decidedAt: orNull(Time()),
  decidedBy: orNull(Type.String(), {private: true}),
  reason: orNull(Type.String(), {private: true, description: "The reason that the deciding person gave"}),
})
export type ApprovalView = Static<typeof ApprovalView>

export const AgentRunView = Named("AgentRunView", {
  kind: Type.Literal("agent"),
  runId: Type.String(),
  seq: Type.Integer(),
  agent: Type.String(),
  trigger: Type.Enum([...agentTriggers]),
  state: Type.Enum([...agentRunStates]),
  waitsFor: orNull(Type.Enum([...agentWaits])),
  dueAt: orNull(Time("When a waiting run continues automatically")),
  attempt: Type.Integer({description: "How many times a Host has started it"}),
  endpoint: orNull(Type.String()),
  channel: orNull(Type.String({private: true})),
  user: orNull(Type.String({private: true})),
  item: orNull(Type.Integer({description: "The work item that it works on"})),
  plugin: orNull(Type.String({description: "The plugin that asked for it"})),
  event: orNull(Type.Integer({description: "The inbox event that started it"})),
  message: orNull(Type.String({description: "The outbox message that its answer is streamed into"})),
  reason: reasonOf("Why it failed or was cancelled"),
  error: orNull(Type.String(), {private: true}),
  steps: Type.Integer(),
  tokens: Type.Integer({description: "In and out. Interrupted calls count with the tokens reserved for them"}),
  money: Type.Number(),
  createdAt: Time(),
  startedAt: orNull(Time()),
  endedAt: orNull(Time()),
  runtimeId: orNull(Type.String({description: "The Host that last ran it"})),
})
export type AgentRunView = Static<typeof AgentRunView>

export const AgentStepView = Named("AgentStepView", {
  step: Type.Integer(),
  kind: Type.Enum(["model", "tool"]),
  name: Type.String({description: "The model, or the tool"}),
  effect: orNull(Type.Enum([...toolEffects])),
  state: Type.Enum([...agentStepStates]),
  begun: Type.Integer({description: "How many times it was started"}),
  reason: reasonOf("Why it failed or was refused"),
  error: orNull(Type.String(), {private: true}),
  input: Type.Unknown({
    private: true,
    description: "For a model call, what svc sent since the previous one. For a tool call, its arguments",
  }),
  output: Type.Unknown({
    private: true,
    description: "For a model call, its text and the calls it requested. For a tool call, its result",
  }),
  tokensIn: orNull(Type.Integer()),
  tokensOut: orNull(Type.Integer()),
  money: orNull(Type.Number()),
  begunAt: orNull(Time()),
  endedAt: orNull(Time()),
})
export type AgentStepView = Static<typeof AgentStepView>

export const AgentRunDetail = Named("AgentRunDetail", {
  ...AgentRunView.properties,
  input: Type.String({private: true, description: "The question or task"}),
  answer: orNull(Type.String(), {private: true}),
  trail: Type.Array(AgentStepView, {description: "Its steps, in order"}),
  approvals: Type.Array(ApprovalView),
  limits: Type.Array(
    Named("AgentRunLimit", {
      what: Type.Enum(["steps", "seconds", "tokens", "money"]),
      limit: Type.Number(),
      used: Type.Number(),
    }),
  ),
})
export type AgentRunDetail = Static<typeof AgentRunDetail>

/** An operator's question to an agent over the API. The run contains the answer. */
export const AgentAsk = NamedClosed("AgentAsk", {
  input: Type.String({
    minLength: 1,
    maxLength: 100_000,
    private: true,
    description: "The question or task for the agent",
  }),
  request: Optional.String({
    minLength: 1,
    maxLength: 200,
    description: "A name for this question. Repeating the name starts no second run",
  }),
  permission: Optional.Enum([...permissions], {
    description: "The permission of the run's tools; the binding's permission when left out",
  }),
})

/** The result of one call of a model. */
const AgentModelCheck = Named("AgentModelCheck", {
  ok: Type.Boolean(),
  milliseconds: Type.Integer(),
  model: Type.String(),
  answer: orNull(Type.String(), {private: true}),
  tokens: orNull(Type.Integer()),
  problem: orNull(Type.String(), {private: true}),
  hint: orNull(Type.String()),
})
export type AgentModelCheck = Static<typeof AgentModelCheck>

/** The results for the usual model and its fallbacks, for `svc agent check`. */
export const AgentCheck = Named("AgentCheck", {
  ...AgentModelCheck.properties,
  fallbacks: Type.Array(AgentModelCheck),
})
export type AgentCheck = Static<typeof AgentCheck>
