import type {ReadinessReason} from "../api/readiness.ts"

/** Why a binding is not configured, as a code. */
export type BindingReason = Extract<ReadinessReason, `agent_${string}`>

export interface BindingProblem {
  readonly configured: false
  readonly reason: BindingReason
  /** A sentence for people, without values of secrets. */
  readonly message: string
  /** The key of the binding that is wrong, below `agents.<name>`; empty for the binding as a whole. */
  readonly at: readonly (string | number)[]
}

/** Whether a binding is configured: the result of the check `binding_configured`, which uses no network. */
export type Standing = {readonly configured: true} | BindingProblem

/** Standings, by the name of the binding. */
export type Standings = Readonly<Record<string, Standing>>
