import type {Binding} from "../../../shared/agents/binding.ts"
import type {ToolEffect} from "../../../shared/agents/states.ts"
import type {Permission} from "../../../shared/sdk/permission.ts"
import type {Statement} from "../../../shared/sdk/plugin/database.ts"
import type {Channel, User} from "../../../shared/sdk/satori.ts"
import type {TSchema} from "../../../shared/type.ts"
import type {OutboxDraft} from "../../outbox/draft.ts"

/** Whom a run is for, and where: what its tools may rely on. Nothing of it comes from the model. */
export interface RunFacts {
  readonly runId: string
  readonly agent: string
  readonly endpoint: string | undefined
  readonly channel: string | undefined
  readonly user: {readonly id: string; readonly name?: string} | undefined
  /** Both as the platform told them: what a timer keeps, whose firing is judged by them. */
  readonly place: {readonly channel?: Channel; readonly user?: User}
  /** The work item that it works on. */
  readonly item: number | undefined
  /** Who it is in the Journal: `agent:<name>`. */
  readonly actor: string
  /** Of the asking user now, or the binding's for a run without one; undefined for none. */
  readonly permission: Permission | undefined
}

/** One call in the hands of a tool. */
export interface ToolUse {
  /** Checked by the tool's parameters. */
  readonly args: unknown
  /** The same for every attempt of this call. */
  readonly key: string
  readonly run: RunFacts
  readonly binding: Binding
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: number
}

/** What a call leaves behind: stored in one batch with its row. */
export interface ToolResult {
  /** Text, or what JSON can hold: for the model. */
  readonly value: unknown
  /** Its caller inserts them, and tells the outbox once they are durable. */
  readonly sends?: readonly OutboxDraft[]
  readonly statements?: readonly Statement[]
  /** Told once they are durable. */
  stored?(): void
  /** Told once they are durable, or will not be. */
  release?(): void
}

/** A tool that agents can have: svc's own, or a plugin's. */
export interface AgentTool {
  /** As bindings name it. */
  readonly name: string
  readonly description: string
  readonly parameters: TSchema
  readonly effect: ToolEffect
  readonly permission: Permission
  readonly approval: boolean
  /** Milliseconds. */
  readonly timeout: number
  /** The run has it by what it is for, whatever anybody's permission. */
  readonly isOfRun?: boolean
  /** For the model of a binding, after the description: what it may do there. */
  scope?(binding: Binding): string
  /** What keeps this binding from having the tool, such as a list that it needs; undefined where nothing does. */
  problem?(binding: Binding): string | undefined
  /**
   * Why a call with these arguments is refused, for the model; undefined where it is not. Asked before a person is, and before the call
   * begins; `run` refuses the same.
   */
  refusal?(args: unknown, binding: Binding, run: RunFacts): string | undefined
  /** What a person is to read before the call is approved; the arguments as JSON when left out. */
  describe?(args: unknown, run: RunFacts): string
  /**
   * svc tells the model what it throws. `TimeLimitExceeded`, the reason of `signal` and `ToolCutOff` say that the call was
   * cut off: it may have been done.
   */
  run(use: ToolUse): Promise<ToolResult>
}

/** What ran a call ended before the call did. */
export class ToolCutOff extends Error {}
