/**
 * The parts of `LanguageModelV4` from `@ai-sdk/provider` that svc uses; the providers' packages implement it. They are
 * declared here because svc's types must compile without any of the packages. `tests/types/providers.ts` checks the
 * packages against them.
 */

/** A provider's data about a part, by the provider's name. The provider needs it back with the part. */
export type PartMetadata = Record<string, JsonObject>
type JsonObject = {readonly [key: string]: Json | undefined}
type Json = null | string | number | boolean | JsonObject | readonly Json[]

interface Noted {
  providerOptions?: PartMetadata
}

export type TextPart = {type: "text"; text: string} & Noted
export type ReasoningPart = {type: "reasoning"; text: string} & Noted
export type CallPart = {type: "tool-call"; toolCallId: string; toolName: string; input: unknown} & Noted
export type ResultPart = {
  type: "tool-result"
  toolCallId: string
  toolName: string
  output: {type: "text"; value: string}
}

export type PromptMessage =
  | {role: "system"; content: string}
  | {role: "user"; content: TextPart[]}
  | {role: "assistant"; content: (TextPart | ReasoningPart | CallPart)[]}
  | {role: "tool"; content: ResultPart[]}

export interface FunctionTool {
  type: "function"
  name: string
  description: string
  inputSchema: object
}

export interface CallOptions {
  prompt: PromptMessage[]
  tools?: FunctionTool[]
  maxOutputTokens: number
  abortSignal: AbortSignal
}

interface Known {
  providerMetadata?: PartMetadata
}

export type ReadPart =
  | ({type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string} & Known)
  | ({type: "text-delta" | "reasoning-delta"; id: string; delta: string} & Known)
  | {type: "tool-input-delta"; id: string; delta: string}
  | ({type: "tool-call"; toolCallId: string; toolName: string; input: string; providerExecuted?: boolean} & Known)
  | ({type: "finish"; finishReason: {unified: string; raw?: string | undefined}; usage: TokenUsage} & Known)
  | {type: "error"; error: unknown}

export interface TokenUsage {
  inputTokens: {total: number | undefined}
  outputTokens: {total: number | undefined}
}

/** A part of a stream: one that svc reads, or another, such as a source. */
export type StreamPart = ReadPart | {type: OtherPart}
type OtherPart =
  | "stream-start"
  | "response-metadata"
  | "tool-input-start"
  | "tool-input-end"
  | "tool-result"
  | "tool-approval-request"
  | "custom"
  | "file"
  | "reasoning-file"
  | "source"
  | "ping"
  | "raw"

export interface LanguageModel {
  readonly specificationVersion: string
  doStream(options: CallOptions): PromiseLike<{stream: ReadableStream<StreamPart>}>
}
