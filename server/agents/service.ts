import type {AgentTrigger} from "../../shared/agents/states.ts"
import type {AgentCheck} from "../../shared/api/agents/agents.ts"
import type {Permission} from "../../shared/sdk/permission.ts"
import type {Channel, User} from "../../shared/sdk/satori.ts"

/** What is asked of an agent, and for whom. */
export interface RunRequest {
  readonly agent: string
  readonly trigger: AgentTrigger
  /** What it is asked. */
  readonly input: string
  /** The same again makes no second run: its id is the answer. */
  readonly request?: string
  /** Where the answer goes, and whose permission counts; nowhere and nobody's when left out. */
  readonly endpoint?: string
  readonly channel?: Channel
  readonly user?: User
  /** What the tools of a run without a user may do, in place of the binding's `permission`. */
  readonly permission?: Permission
  /** The inbox event that it answers. */
  readonly event?: number
  /** The work item that it works on. */
  readonly item?: number
  /** The plugin that asks. */
  readonly plugin?: string
}

/** A person's word about a call that waits for it. `by` is for the record: `user:<endpoint>/<id>`, or a name. */
export interface Decision {
  readonly approve: boolean
  readonly by: string
  readonly reason?: string
}

/** What can be asked of the agents of a running Host. */
export interface AgentService {
  /**
   * Resolves to the runId once the run is durable. Throws `agent_unknown`, `agent_disabled`, `agent_misconfigured`, `ingress_paused`,
   * `request_invalid`.
   */
  queue(request: RunRequest): Promise<string>
  /** Ends a run that has not ended; what it has asked of its provider is aborted. Throws `agent_run_unknown`, `agent_run_state`. */
  cancel(runId: string, by: string): Promise<void>
  /** Throws `approval_unknown`, and `approval_state` for one that is decided. */
  decide(approval: string, decision: Decision): Promise<void>
  /** What a restore holds: lets it go on, or ends it. Resolves to how many runs. Throws `agent_run_unknown`, `agent_run_state`. */
  actOnHeld(action: "release" | "discard", on: {readonly runId: string} | "held"): Promise<number>
  /** Calls the model of a binding once. Throws `agent_unknown`, `agent_misconfigured`. */
  check(agent: string, signal: AbortSignal): Promise<AgentCheck>
}
