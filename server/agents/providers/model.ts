import type {TSchema} from "../../../shared/type.ts"

/** A call that the model asks for. `input` is JSON as the model wrote it, which may be none. */
export interface ModelCall {
  readonly id: string
  /** As the request named the tool. */
  readonly name: string
  readonly input: string
}

/** One message of a conversation with a model; plain JSON. */
export type ModelMessage =
  | {readonly role: "user"; readonly text: string}
  | {
      readonly role: "assistant"
      readonly text: string
      readonly calls: readonly ModelCall[]
      /** What the provider wants to see again, such as signatures of its thoughts: `details` of its reply. */
      readonly details?: unknown
    }
  | {readonly role: "tool"; readonly call: string; readonly name: string; readonly result: string}

export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly parameters: TSchema
}

export interface ModelRequest {
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  /** Tokens. */
  readonly output: number
}

/** Tokens that a call took, as the provider says. */
export interface ModelUsage {
  readonly input: number
  readonly output: number
}

export interface ModelReply {
  readonly text: string
  readonly calls: readonly ModelCall[]
  readonly finish: "stop" | "calls" | "length" | "filtered" | "other"
  /** Undefined where the provider does not say. */
  readonly usage: ModelUsage | undefined
  /** Plain JSON; undefined where there is nothing to keep. */
  readonly details?: unknown
}

export interface ModelOptions {
  readonly signal: AbortSignal
  /** Hears the text as it comes: each time what came since. It must not throw. */
  readonly onText?: (text: string) => void
}

/** A model of a provider. */
export interface Model {
  /** One call, without repetition. Rejects with a `ModelFailure`, or with the reason of `signal`. */
  call(request: ModelRequest, options: ModelOptions): Promise<ModelReply>
}

/**
 * Why a call failed. `busy`: 429, 5xx, no connection, a stream that was cut: try again, not before `retryAfter`. `malformed`: what
 * came back could not be read: try again. `refused`: it would fail again.
 */
export class ModelFailure extends Error {
  readonly kind: "busy" | "malformed" | "refused"
  readonly status: number | undefined
  /** Milliseconds; undefined where the provider does not say. */
  readonly retryAfter: number | undefined
  /** The system's word for a connection that failed, such as `ECONNREFUSED`; `cut` for a stream that ended early. */
  readonly code: string | undefined

  constructor(
    kind: ModelFailure["kind"],
    message: string,
    {status, retryAfter, code}: {status?: number; retryAfter?: number; code?: string} = {},
  ) {
    super(message)
    this.name = "ModelFailure"
    this.kind = kind
    this.status = status
    this.retryAfter = retryAfter
    this.code = code
  }
}
