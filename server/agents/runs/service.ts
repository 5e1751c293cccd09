import type {Binding} from "../../../shared/agents/binding.ts"
import type {AgentTrigger} from "../../../shared/agents/states.ts"
import type {AgentCheck, AgentMcpView} from "../../../shared/api/agents/agents.ts"
import type {AgentContext} from "../../../shared/api/agents/context.ts"
import type {Channel, User} from "../../../shared/sdk/content/satori.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"

export interface RunRequest {
  readonly agent: string
  readonly trigger: AgentTrigger
  readonly input: string
  /** A key of the request. Repeating it creates no second run, and returns the first run's id. */
  readonly request?: string
  /** The target of the answer, and the user whose permission counts; none if left out. */
  readonly endpoint?: string
  readonly channel?: Channel
  readonly user?: User
  /** How old the event was, in milliseconds, if that is worth telling. */
  readonly age?: number
  /** The permission of a run without a user, instead of the binding's `permission`. */
  readonly permission?: Permission
  /** The inbox event that the run answers. */
  readonly event?: number
  readonly item?: number
  readonly plugin?: string
}

/** A person's decision about a waiting call. `by` is for the record: `user:<endpoint>/<id>`, or a name. */
export interface Decision {
  readonly approve: boolean
  readonly by: string
  readonly reason?: string
}

/** The operator's actions on runs that do not work: `hold` is for runs that are queued or wait. */
export type RunAction = "release" | "discard" | "hold"

/** One run by its id; several that are queued or wait; or all held ones. */
export type RunSelection = {readonly runId: string | readonly string[]} | "held"

/** What an authorization server sends back with the person. */
export interface SignInAnswer {
  readonly state: string
  readonly code: string
  readonly iss?: string | undefined
}

/** What an operator does with an MCP server of an agent. */
export interface McpControl {
  readonly state: {readonly is: AgentMcpView["state"]}
  /** Accepts what the server offers: one tool, or all. Resolves to their number. Throws `mcp_unknown`. */
  accept(tool: string | undefined): Promise<number>
  /** Resolves to the address where a person signs in. Throws `mcp_sign_in`. */
  begin(redirect: string): Promise<string>
  /** Completes a person's sign-in. Throws `mcp_sign_in`. */
  finish(answer: SignInAnswer): Promise<void>
}

/** The commands for the agents of a running Host. */
export interface AgentService {
  /**
   * Resolves to the runId once the run is durable. Throws `agent_unknown`, `agent_disabled`, `agent_misconfigured`, `ingress_paused`,
   * `request_invalid`.
   */
  queue(request: RunRequest): Promise<string>
  /** Cancels an open run, and aborts its request to the provider. Throws `agent_run_unknown`, `agent_run_state`. */
  cancel(runId: string, by: string): Promise<void>
  /** Throws `approval_unknown`, and `approval_state` if the approval is already decided. */
  decide(approval: string, decision: Decision): Promise<void>
  /** Changes the state of idle runs. Resolves to their number. Throws `agent_run_unknown`, `agent_run_state`. */
  act(action: RunAction, on: RunSelection): Promise<number>
  /** Throws `mcp_unknown`. */
  mcpServer(binding: Binding, server: string): Promise<McpControl>
  /** Resolves to what a run sent to its model. Throws `agent_run_unknown`, `agent_unknown`. */
  context(runId: string): Promise<AgentContext>
  /** Calls the model of a binding once. Throws `agent_unknown`, `agent_misconfigured`. */
  check(agent: string, signal: AbortSignal): Promise<AgentCheck>
}
