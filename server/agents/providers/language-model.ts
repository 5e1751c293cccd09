/**
 * What svc uses of the `LanguageModelV4` of `@ai-sdk/provider`, which the providers' packages implement: written here, because svc's
 * types must compile where none of the packages is installed. `tests/types/providers.ts` holds the packages to it.
 */

/** What a provider says of a part, by the provider's name, and wants to see again with it. */
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

/** Parts that svc reads. */
export type ReadPart =
  | ({type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string} & Known)
  | ({type: "text-delta" | "reasoning-delta"; id: string; delta: string} & Known)
  | {type: "tool-input-delta"; id: string; delta: string}
  | ({type: "tool-call"; toolCallId: string; toolName: string; input: string; providerExecuted?: boolean} & Known)
  | {type: "finish"; finishReason: {unified: string}; usage: TokenUsage}
  | {type: "error"; error: unknown}

export interface TokenUsage {
  inputTokens: {total: number | undefined}
  outputTokens: {total: number | undefined}
}

/** A part of a stream: one that svc reads, or another, such as a source that the provider names. */
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
