import type {ToolEffect} from "../../agents/states.ts"
import type {Log} from "../../log.ts"
import type {Static, TObject} from "../../type.ts"
import type {Content} from "../content/elements.ts"
import type {Permission} from "../session/permission.ts"
import type {SessionDatabase, Target} from "../session/session.ts"

export type {ToolEffect} from "../../agents/states.ts"

/** One call of a tool by an agent. The call ends with its function; later calls of its methods throw `late`. */
export interface ToolCall<A = unknown> {
  /** The model's arguments, which fit the parameters' schema. Treat their text as data that anybody may write. */
  readonly args: A
  /** The name of the agent binding. */
  readonly agent: string
  readonly runId: string
  /** A key that is the same for every attempt of this call and unique to it. An `idempotent` tool passes it on. */
  readonly key: string
  /** The conversation in which the run was started, if it was started in one. */
  readonly place: {readonly endpoint: string; readonly channel?: string} | undefined
  /** The asking user on that endpoint's platform; undefined for a run of a job, a timer, a webhook or a work item. */
  readonly user: {readonly id: string; readonly name?: string} | undefined
  /** That user's permission there. For a run without a user, the binding's `permission`. */
  readonly permission: Permission
  /** Aborted when the tool times out, the run is cancelled, or the Host stops. */
  readonly signal: AbortSignal
  readonly log: Log
  /**
   * Queues a message and resolves to its outbox id at once. It is stored with the call's row. Throws `tool_effect`
   * unless the tool's effect is `transaction`.
   */
  send(to: Target, content: Content): Promise<string>
  /** The plugin's tables. `write` is stored with the call's row; throws `tool_effect` without `transaction`. */
  readonly database: SessionDatabase
}

/** The declaration of a tool. */
export interface ToolDefinition<A extends TObject = TObject> {
  /** Tells the model what the tool does and when to call it. */
  readonly description: string
  /** The parameters; the model sees them as JSON Schema. svc checks each call first, and rejects other keys. */
  readonly parameters: A
  /**
   * The side effects of a call. They decide what svc does about an interrupted call.
   *
   * - `none`: it only reads. svc runs it again.
   * - `transaction`: what it sends and writes through its call is stored with the call's row, or not at all. svc runs
   *   it again.
   * - `idempotent`: the external service acts once for each `key`. svc runs it again, with the same key.
   * - `external`: any other effect. svc never repeats it automatically, and tells the model and people that it may have
   *   been done.
   */
  readonly effect: ToolEffect
  /** The permission that the asking user needs; `user` when left out. */
  readonly permission?: Permission
  /** Requires a person's approval of each call; false when left out. */
  readonly approval?: boolean
  /** The time limit of a call in seconds, at most an hour; 30 when left out. */
  readonly timeout?: number
}

/** Resolves to the model's result: text or JSON, cut after 64 Ki characters. The model reads a thrown error's text. */
export type ToolHandler<A = unknown> = (call: ToolCall<A>) => unknown

/** `plugin.tool`; see `Plugin`. */
export type DeclareTool = <A extends TObject>(
  name: string,
  definition: ToolDefinition<A>,
  run: ToolHandler<Static<A>>,
) => void
