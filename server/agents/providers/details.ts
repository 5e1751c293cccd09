import {Check} from "typebox/schema"
import {isObject, toExactJson, tryFromJson} from "../../../shared/json.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {type Hide, hideIn} from "./hiding.ts"
import type {CallPart, PartMetadata, ReasoningPart, TextPart} from "./language-model.ts"
import type {ModelCall, ModelMessage} from "./model.ts"

/** Returns an earlier call by the model, for its provider. */
export const callPartOf = ({id, name, input}: ModelCall, hide: Hide): CallPart => ({
  type: "tool-call",
  toolCallId: id,
  toolName: name,
  input: hideIn(argumentsOf(input), hide),
})

/** Providers accept only objects as arguments. The tool's result has already told the model what was wrong. */
const argumentsOf = (input: string): object => {
  const value = tryFromJson(input)
  return isObject(value) ? value : {}
}

const metadata = Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())))

const KeptPart = Type.Union([
  Type.Object({type: Type.Literal("text"), text: Type.String(), metadata}),
  Type.Object({type: Type.Literal("reasoning"), text: Type.String(), metadata}),
  Type.Object({type: Type.Literal("call"), id: Type.String(), metadata}),
])
export type KeptPart = Static<typeof KeptPart>

/** The stored details of a reply, as plain JSON: its parts in order, with the data that the provider needs back. */
const Details = Type.Object({source: Type.String(), parts: Type.Array(KeptPart)})

/** Returns undefined if text and calls contain everything. `source` is the provider and the model. */
export const detailsOf = (source: string, parts: readonly KeptPart[]): Static<typeof Details> | undefined =>
  parts.some(part => part.type === "reasoning" || part.metadata !== undefined) ? {source, parts: [...parts]} : undefined

export type Assistant = Extract<ModelMessage, {role: "assistant"}>

/**
 * Returns the parts of an assistant's message as its model wrote them; undefined without details, or with those of
 * another model. Parts that `hide` would change are not sent again: a thought is dropped, because its signature would
 * not fit, and so are the provider's notes on a part.
 */
export const readDetails = (
  {calls, details}: Assistant,
  source: string,
  hide: Hide,
): (TextPart | ReasoningPart | CallPart)[] | undefined => {
  if (!Check(Details, details) || details.source !== source) return undefined
  return details.parts.flatMap(part => keptPart(part, calls, hide))
}

const keptPart = (part: KeptPart, calls: Assistant["calls"], hide: Hide): (TextPart | ReasoningPart | CallPart)[] => {
  const noted = notesOf(part.metadata, hide)
  switch (part.type) {
    case "text":
      return part.text === "" && part.metadata === undefined ? [] : [{type: "text", text: hide(part.text), ...noted}]
    case "reasoning":
      return noted === undefined || hide(part.text) !== part.text
        ? []
        : [{type: "reasoning", text: part.text, ...noted}]
    case "call":
      return calls.filter(({id}) => id === part.id).map(call => ({...callPartOf(call, hide), ...noted}))
  }
}

/** Returns undefined if the notes contain anything to hide. */
const notesOf = (metadata: KeptPart["metadata"], hide: Hide): {providerOptions?: PartMetadata} | undefined => {
  if (metadata === undefined) return {}
  const hidden = hideIn(metadata, hide)
  // The provider's notes came as JSON, and are stored as JSON.
  return toExactJson(hidden) === toExactJson(metadata) ? {providerOptions: metadata as PartMetadata} : undefined
}
