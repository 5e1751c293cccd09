/** The states of a run. `held`: a restore, `resumeWithin` or an operator holds it until somebody releases it. */
export const agentRunStates = ["queued", "running", "waiting", "held", "succeeded", "failed", "cancelled"] as const
export type AgentRunState = (typeof agentRunStates)[number]

export const agentWaits = ["approval", "retry", "ingress"] as const
export type AgentWait = (typeof agentWaits)[number]

export const agentTriggers = [
  "mention",
  "direct",
  "command",
  "event",
  "job",
  "timer",
  "item",
  "plugin",
  "operator",
  "summary",
] as const
export type AgentTrigger = (typeof agentTriggers)[number]

/**
 * The states of a step.
 * - `planned`: the model requested it, and it has not started.
 * - `waiting`: it waits for a person's approval.
 * - `unknown`: it was interrupted and may have been done.
 */
export const agentStepStates = ["planned", "waiting", "begun", "done", "failed", "unknown", "refused"] as const
export type AgentStepState = (typeof agentStepStates)[number]

export const approvalStates = ["waiting", "held", "approved", "denied", "expired", "cancelled"] as const
export type ApprovalState = (typeof approvalStates)[number]

/** The side effects of a tool: see `ToolDefinition`. */
export const toolEffects = ["none", "transaction", "idempotent", "external"] as const
export type ToolEffect = (typeof toolEffects)[number]

/** Why a run failed or was cancelled, or a step was refused, by code, for people and `docs/reference/agents.md`. */
export const agentReasons = {
  limit_steps: "The run has made as many steps as `limits.steps` allows.",
  limit_tokens: "The next call could exceed `limits.tokens`.",
  limit_seconds: "The run has worked for as long as `limits.seconds` allows.",
  limit_money: "The next call could exceed `limits.money`.",
  limit_user: "The user has reached a limit of `limits.user` for today.",
  limit_channel: "The channel has reached a limit of `limits.channel` for today.",
  limit_day: "The agent has reached a limit of `limits.day` for today.",
  provider_refused:
    "The provider rejected the call: a wrong key, an unknown model, or a request that it does not accept.",
  provider_unavailable: "The provider did not answer or was overloaded, and svc has stopped retrying.",
  provider_cut: "The provider's answers broke off before their end, and svc has stopped retrying.",
  answer_malformed: "svc could not read the model's answers, and has stopped retrying.",
  answer_empty: "The model answered with neither text nor a tool call, and svc has stopped retrying.",
  answer_cut: "The model's answer was longer than `limits.output` allows.",
  answer_filtered: "The provider's filter withheld the answer.",
  tools_endless: "The model repeated the same call with the same arguments, though it had the result.",
  binding_missing: "The configuration has no binding of that name, or it is disabled.",
  binding_misconfigured: "The binding is not configured.",
  place_gone: "The endpoint that the answer goes to no longer exists.",
  internal: "svc itself failed. The Host's log has the cause.",
  cancelled: "Somebody cancelled the run.",
  restored: "A restore holds the run until an operator releases or discards it.",
  cut_off: "The run was cut off for longer than `resumeWithin`. It waits until an operator releases or discards it.",
  operator: "An operator holds the run until somebody releases or discards it.",
  discarded: "An operator discarded the run before it could continue.",
  tool_unknown: "The model asked for a tool that the binding does not have.",
  tool_arguments: "The arguments do not fit the tool's parameters.",
  tool_denied: "The asking user does not have the tool's permission.",
  tool_refused: "The binding's settings do not allow these arguments, for example a channel that is not listed.",
  tool_failed: "The tool threw an error.",
  tool_timeout: "The tool timed out.",
  tool_unknown_outcome: "The call was interrupted and may have been done. svc does not repeat it.",
  tool_repeated: "An equal call of this run was interrupted before, so a person must approve this one.",
  approval_denied: "A person denied the call.",
  approval_expired: "Nobody approved the call in time.",
} as const
export type AgentReason = keyof typeof agentReasons
