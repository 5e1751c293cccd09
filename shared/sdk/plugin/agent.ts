import type {AgentRunState} from "../../agents/states.ts"

/** Options for a run of an agent. */
export interface AgentRunOptions {
  /** Where svc sends the answer as a message. When left out, svc sends none, and only `result` returns the answer. */
  readonly target?: {readonly endpoint: string; readonly channel: string}
  /**
   * The user on the target's platform for whom the run acts: its tools may do what this user may do there. When left
   * out, the run has the binding's `permission`.
   */
  readonly user?: string
  /** A key of at most 200 characters. If the plugin already started a run of the agent under it, returns that. */
  readonly key?: string
}

/** The result of a run, as its plugin sees it. */
export interface AgentResult {
  readonly state: AgentRunState
  /** The answer; null until the run has succeeded. */
  readonly answer: string | null
  /** A code for why the run failed; null if it did not fail. */
  readonly reason: string | null
}

/** An agent of the project, as `plugin.agent` returns it. */
export interface AgentHandle {
  readonly name: string
  /**
   * Queues a run and resolves to its runId once it is durable. `input` is the question or task. Throws `not_active`,
   * `agent_unknown`, `agent_disabled`, `request_invalid`, `target_invalid`, `endpoint_unknown`, `ingress_paused`.
   */
  run(input: string, options?: AgentRunOptions): Promise<string>
  /** Returns the state and the answer of a run that this plugin started. Throws `agent_run_unknown`. */
  result(runId: string): Promise<AgentResult>
}
