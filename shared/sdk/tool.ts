import type {ToolEffect} from "../agents/states.ts"
import type {Log} from "../log.ts"
import type {Static, TObject} from "../type.ts"
import type {Content} from "./elements.ts"
import type {Permission} from "./permission.ts"
import type {SessionDatabase, Target} from "./session.ts"

export type {ToolEffect} from "../agents/states.ts"

/** One call of a tool by an agent. Ended by the end of its function; later calls throw `late`. */
export interface ToolCall<A = unknown> {
  /** What the model gave: it fits the schema of the parameters. Text in it is data that anybody may have written. */
  readonly args: A
  /** The binding's name. */
  readonly agent: string
  readonly runId: string
  /** The same for every attempt of this call, and of no other: what an `idempotent` tool hands on. */
  readonly key: string
  /** Where the run was asked for, where it was asked for in a conversation. */
  readonly place: {readonly endpoint: string; readonly channel?: string} | undefined
  /** Who asked, on that endpoint's platform; undefined for a run of a job, a timer, a webhook or a work item. */
  readonly user: {readonly id: string; readonly name?: string} | undefined
  /** What that user may do there; for a run without a user, the binding's `permission`. */
  readonly permission: Permission
  /** Aborted when the tool's time ends, the run is cancelled, or the Host stops. */
  readonly signal: AbortSignal
  readonly log: Log
  /**
   * Queues a message; resolves to its outbox id at once. It is stored with the call's row. Throws `tool_effect` unless the tool's effect
   * is `transaction`.
   */
  send(to: Target, content: Content): Promise<string>
  /** The plugin's tables; `write` is stored with the call's row, and throws `tool_effect` unless the effect is `transaction`. */
  readonly database: SessionDatabase
}

/** What `setup` declares of a tool. */
export interface ToolDefinition<A extends TObject = TObject> {
  /** For the model: what the tool does, and when to call it. */
  readonly description: string
  /** The model sees it as JSON Schema, and each call is checked by it before the tool runs: no other keys. */
  readonly parameters: A
  /**
   * What a call does to the world, which says what becomes of one that was cut off.
   *
   * - `none`: it only reads. It is run again.
   * - `transaction`: what it sends and writes through its call is stored with the call's row, or not at all. It is run again.
   * - `idempotent`: the service that it calls does a thing once for each `key`. It is run again, with the same key.
   * - `external`: anything else. svc never runs it again by itself, and tells the model and people that
   *   it may have been done.
   */
  readonly effect: ToolEffect
  /** Who may have it called; `user` when left out. */
  readonly permission?: Permission
  /** Ask a person before each call; false when left out. */
  readonly approval?: boolean
  /** Seconds that a call may take, at most an hour; 30 when left out. */
  readonly timeout?: number
}

/**
 * Resolves to what svc tells the model: text, or what JSON can hold, cut behind 64 Ki characters. svc tells the model
 * what it throws, too.
 */
export type ToolHandler<A = unknown> = (call: ToolCall<A>) => unknown

/** `plugin.tool`; see `Plugin`. */
export type DeclareTool = <A extends TObject>(
  name: string,
  definition: ToolDefinition<A>,
  run: ToolHandler<Static<A>>,
) => void
