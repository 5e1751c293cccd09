import type {AgentRunState} from "../agents/states.ts"

/** How a plugin has an agent run. */
export interface AgentRunOptions {
  /** Where the answer goes, as a message; nowhere when left out: `result` has it. */
  readonly target?: {readonly endpoint: string; readonly channel: string}
  /**
   * On whose behalf, on the target's platform: what this user may do there, the run's tools may. Without one the run has the binding's
   * `permission`.
   */
  readonly user?: string
  /** At most 200 characters. Where the plugin has had this agent run under this key before, the run of then is meant. */
  readonly key?: string
}

/** A run as its plugin sees it. */
export interface AgentResult {
  readonly state: AgentRunState
  /** Null until the run has succeeded. */
  readonly answer: string | null
  /** Why it has failed, as a word; null where it has not. */
  readonly reason: string | null
}

/** An agent of the project, as `plugin.agent` gives it. */
export interface AgentHandle {
  readonly name: string
  /**
   * Queues a run; resolves to its runId once it is durable. `input` is what the agent is asked. Throws `not_active`, `agent_unknown`,
   * `agent_disabled`, `request_invalid`, `target_invalid`, `endpoint_unknown`, `ingress_paused`.
   */
  run(input: string, options?: AgentRunOptions): Promise<string>
  /** What became of a run that this plugin asked for. Throws `agent_run_unknown`. */
  result(runId: string): Promise<AgentResult>
}
