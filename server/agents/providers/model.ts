import type {TSchema} from "../../../shared/type.ts"

/** A call by the model. `input` is JSON as the model wrote it, which may be invalid. */
export interface ModelCall {
  readonly id: string
  /** The tool's name in the request. */
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
      /** The provider and the model that wrote it; undefined if it is unknown. */
      readonly source?: string | undefined
      /** Data that the provider needs back, such as signatures of its thoughts: the `details` of its reply. */
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
  /** The most tokens of the answer. */
  readonly output: number
}

/** The tokens that a call used, as reported by the provider. */
export interface ModelUsage {
  readonly input: number
  readonly output: number
}

export interface ModelReply {
  readonly text: string
  readonly calls: readonly ModelCall[]
  readonly finish: "stop" | "calls" | "length" | "filtered" | "other"
  /** Undefined if the provider does not report it. */
  readonly usage: ModelUsage | undefined
  /** Plain JSON; undefined if there is nothing to keep. */
  readonly details?: unknown
  /** The provider and the model, in a stored reply. */
  readonly source?: string
}

export interface ModelOptions {
  readonly signal: AbortSignal
  /** Called with each new piece of text. It must not throw. */
  readonly onText?: (text: string) => void
  /** Called with each part of the answer, also with those that are no text. It must not throw. */
  readonly onPart?: () => void
  /** Called with a short name for each thing in the answer that svc does not know and leaves out. It must not throw. */
  readonly onUnknown?: (what: string) => void
}

export interface Model {
  /** Makes one call, without retries. Rejects with a `ModelFailure`, or with the reason of `signal`. */
  call(request: ModelRequest, options: ModelOptions): Promise<ModelReply>
}

/**
 * Why a call failed. `busy`: 429, 5xx, no connection, or a broken stream; retry, not before `retryAfter`. `malformed`:
 * the answer could not be read; retry. `refused`: a retry would fail too.
 */
export class ModelFailure extends Error {
  readonly kind: "busy" | "malformed" | "refused"
  readonly status: number | undefined
  /** In milliseconds; undefined if the provider does not say. */
  readonly retryAfter: number | undefined
  /** The system's code for a failed connection, such as `ECONNREFUSED`; `cut` for a stream that ended early. */
  readonly code: string | undefined

  constructor(
    kind: ModelFailure["kind"],
    message: string,
    {status, retryAfter, code}: Partial<Pick<ModelFailure, "status" | "retryAfter" | "code">> = {},
  ) {
    super(message)
    this.name = "ModelFailure"
    this.kind = kind
    this.status = status
    this.retryAfter = retryAfter
    this.code = code
  }
}
