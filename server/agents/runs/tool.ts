import type {Binding} from "../../../shared/agents/binding.ts"
import type {ToolEffect} from "../../../shared/agents/states.ts"
import type {Channel, User} from "../../../shared/sdk/content/satori.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {TSchema} from "../../../shared/type.ts"
import type {OutboxDraft} from "../../outbox/draft.ts"
import type {AgentRun} from "./run-rows.ts"

/** The user and the place of a run, on which its tools can rely. None of it comes from the model. */
export interface RunFacts extends Pick<AgentRun, "seq" | "runId" | "agent" | "endpoint" | "channel" | "item"> {
  readonly user: {readonly id: string; readonly name?: string} | undefined
  /** Channel and user, as the platform sent them. A timer keeps them, and its firing is checked against them. */
  readonly place: {readonly channel?: Channel; readonly user?: User}
  /** The run's name in the Journal: `agent:<name>`. */
  readonly actor: string
  /** The current permission of the asking user, or the binding's for a run without one; undefined for none. */
  readonly permission: Permission | undefined
}

export interface ToolUse {
  /** Validated against the tool's parameters. */
  readonly args: unknown
  /** The same for every attempt of this call. */
  readonly key: string
  readonly run: RunFacts
  readonly binding: Binding
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The results of a call, stored in one batch with its row. */
export interface ToolResult {
  /** For the model: text, or any value that JSON can hold. */
  readonly value: unknown
  /** The caller stores them, and notifies the outbox once they are durable. */
  readonly sends?: readonly OutboxDraft[]
  readonly statements?: readonly Statement[]
  /** Called once they are durable. */
  stored?(): void
  /** Called once they are durable, or if they will not be. */
  release?(): void
}

/** A tool for agents: svc's own, or a plugin's. */
export interface AgentTool {
  /** The tool's name in bindings. */
  readonly name: string
  readonly description: string
  readonly parameters: TSchema
  /** Another program checks the arguments by `parameters`, whose patterns must not run here. */
  readonly isForeign?: true
  readonly effect: ToolEffect
  readonly permission: Permission
  readonly approval: boolean
  /** Milliseconds. */
  readonly timeout: number
  /** The run has the tool because of its purpose, whatever the permissions. */
  readonly isOfRun?: boolean
  /** Returns text for the model after the description: what this binding may do with the tool. */
  scope?(binding: Binding): string
  /** Returns why this binding cannot have the tool, such as a missing list; undefined if it can. */
  problem?(binding: Binding): string | undefined
  /**
   * Returns why a call with these arguments is refused, for the model; undefined if it is not. Called before a person
   * is asked and before the call begins. `run` refuses the same calls.
   */
  refusal?(args: unknown, binding: Binding, run: RunFacts): string | undefined
  /** Returns what a person reads before approving the call; by default the arguments as JSON. */
  describe?(args: unknown, run: RunFacts): string
  /**
   * Makes the call. svc tells the model about errors. `TimeLimitExceeded`, the reason of `signal` and `ToolCutOff` mean
   * that the call was interrupted and may have taken effect.
   */
  run(use: ToolUse): Promise<ToolResult>
}

/** The plugin that ran a call ended before the call did. */
export class ToolCutOff extends Error {}
