import type {AgentProvider} from "../../../shared/config/agents.ts"
import {Optional, type TSchema, Type} from "../../../shared/type.ts"
import {field, knownParts, type OnUnknown} from "./known-parts.ts"

/** Returns what svc knows of an event; undefined if it knows nothing of it. */
export type ReadEvent = (event: unknown, onUnknown: OnUnknown) => unknown

type Shapes = Readonly<Record<string, TSchema>>

/** Stands for tokens that the provider does not report, where its package needs a number. Any sum stays below zero. */
const unreported = -1e12

const kind = (name: string, properties: Shapes = {}) => Type.Object({type: Type.Literal(name), ...properties})
const numbers = (names: string): Shapes => Object.fromEntries(names.split(" ").map(name => [name, Optional.Number()]))
/** A text that the provider chooses from a list, which may grow. */
const oneOf = (known: string) => Type.Optional(Type.Unsafe<string>({type: "string", known: known.split(" ")}))

const text = kind("text", {text: Type.String()})

const delta = Type.Object({
  content: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.Union([text, kind("thinking", {thinking: Type.Array(text)})]))]),
  ),
  refusal: Optional.String(),
  reasoning_content: Optional.String(),
  reasoning: Optional.String(),
  tool_calls: Optional.Array(
    Type.Object({
      index: Optional.Number(),
      id: Optional.String(),
      // Arguments that are left out would be another call, so the package judges them.
      function: Type.Object({name: Optional.String(), arguments: Type.Optional(Type.Unknown())}),
      extra_content: Type.Optional(
        Type.Object({google: Type.Optional(Type.Object({thought_signature: Optional.String()}))}),
      ),
    }),
  ),
})

const choice = Type.Object({
  delta: Type.Optional(delta),
  finish_reason: oneOf("stop length content_filter function_call tool_calls"),
})

const openaiUsage = Type.Object({prompt_tokens: Type.Number(), completion_tokens: Type.Number()})

const openaiEvent = Type.Union([
  Type.Object({id: Optional.String(), choices: Type.Array(choice), usage: Type.Optional(openaiUsage)}),
  Type.Object({choices: Type.Array(choice, {default: []}), usage: openaiUsage}),
])

/** A server that does not stream sends one event, with a message in place of the delta. */
const withDelta = (event: unknown): unknown => {
  const choices = field(event, "choices")
  if (!Array.isArray(choices)) return event
  return {...Object(event), choices: choices.map(each => ({delta: field(each, "message"), ...Object(each)}))}
}

const anthropicUsage = (needed: string) =>
  Type.Object(
    {[needed]: Type.Number({default: unreported}), ...numbers("cache_creation_input_tokens cache_read_input_tokens")},
    {default: {[needed]: unreported}},
  )

/** Some servers leave it out of their only block. */
const index = Type.Number({default: 0})

const anthropicEvent = Type.Union([
  kind("ping"),
  kind("message_stop"),
  kind("content_block_stop", {index}),
  kind("message_start", {message: Type.Object({id: Optional.String(), usage: anthropicUsage("input_tokens")})}),
  kind("content_block_start", {
    index,
    content_block: Type.Union([
      kind("text", {text: Type.String({default: ""})}),
      kind("thinking", {thinking: Type.String({default: ""})}),
      kind("redacted_thinking", {data: Type.String()}),
      kind("tool_use", {id: Type.String(), name: Type.String(), input: Type.Optional(Type.Unknown())}),
    ]),
  }),
  kind("content_block_delta", {
    index,
    delta: Type.Union([
      kind("text_delta", {text: Type.String()}),
      kind("input_json_delta", {partial_json: Type.String()}),
      kind("thinking_delta", {thinking: Type.String()}),
      kind("signature_delta", {signature: Type.String()}),
    ]),
  }),
  kind("message_delta", {
    delta: Type.Object(
      {
        stop_reason: oneOf(
          "end_turn stop_sequence tool_use max_tokens model_context_window_exceeded pause_turn refusal",
        ),
      },
      {default: {}},
    ),
    usage: anthropicUsage("output_tokens"),
  }),
])

const thoughtSignature = Optional.String()

/** Google leaves out zeros, and a prompt is never empty. */
const googleUsage = Type.Object({
  promptTokenCount: Type.Number(),
  ...numbers("candidatesTokenCount thoughtsTokenCount toolUsePromptTokenCount"),
})

const promptFeedback = Type.Object({blockReason: Optional.String()})

const googleMore = {
  responseId: Optional.String(),
  promptFeedback: Type.Optional(promptFeedback),
  usageMetadata: Type.Optional(googleUsage),
}

const withheld = "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY"

const candidates = Type.Array(
  Type.Object({
    content: Type.Optional(
      Type.Object({
        parts: Optional.Array(
          Type.Union([
            Type.Object({
              functionCall: Type.Object({
                id: Optional.String(),
                name: Optional.String(),
                args: Type.Optional(Type.Unknown()),
                partialArgs: Type.Optional(Type.Unknown()),
                willContinue: Optional.Boolean(),
              }),
              thoughtSignature,
            }),
            Type.Object({text: Type.String(), thought: Optional.Boolean(), thoughtSignature}),
          ]),
        ),
      }),
    ),
    finishReason: oneOf(`STOP MAX_TOKENS CONTINUATION MALFORMED_FUNCTION_CALL ${withheld}`),
    finishMessage: Optional.String(),
    continuationToken: Optional.String(),
  }),
)

const googleEvent = Type.Union([
  Type.Object({...googleMore, candidates}),
  Type.Object({...googleMore, usageMetadata: googleUsage}),
  Type.Object({...googleMore, promptFeedback}),
])

/** Reads the blocks of one answer. A block of an unknown type takes its later events with it. */
const readBlocks = (): ReadEvent => {
  const dropped = new Set<unknown>()
  return (event, onUnknown) => {
    const known = knownParts(anthropicEvent, event, onUnknown)
    const begun = field(event, "type") === "content_block_start" ? (field(event, "index") ?? 0) : undefined
    if (begun !== undefined && known === undefined) dropped.add(begun)
    return dropped.has(field(known, "index")) ? undefined : known
  }
}

export const readerFor: Readonly<Record<AgentProvider, () => ReadEvent>> = {
  "openai-compatible": () => (event, onUnknown) => knownParts(openaiEvent, withDelta(event), onUnknown),
  anthropic: readBlocks,
  google: () => (event, onUnknown) => knownParts(googleEvent, event, onUnknown),
}
