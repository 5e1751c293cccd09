import {createHash} from "node:crypto"
import {fromJson, toJson} from "../../../shared/json.ts"
import {type Assistant, callPartOf, readDetails} from "./details.ts"
import {type Hide, hideIn} from "./hiding.ts"
import type {CallOptions, CallPart, FunctionTool, PromptMessage, ReasoningPart, TextPart} from "./language-model.ts"
import type {ModelMessage, ModelRequest} from "./model.ts"

/** `source` is the model whose details are sent back, because another model's details are useless to it. */
export interface PromptOptions {
  readonly source: string
  readonly hide: Hide
}

/** Returns a request for a provider's package, without anything that `hide` hides. */
export const promptOf = (
  {instructions, messages, tools, output}: ModelRequest,
  options: PromptOptions,
): Omit<CallOptions, "abortSignal"> => ({
  prompt: [
    ...(instructions === "" ? [] : [{role: "system" as const, content: options.hide(instructions)}]),
    ...joinResults(withIds(messages, options.source).flatMap(message => messageOf(message, options))),
  ],
  ...(tools.length === 0 ? {} : {tools: tools.map(tool => toolOf(tool, options.hide))}),
  maxOutputTokens: output,
})

const toolOf = ({name, description, parameters}: ModelRequest["tools"][number], hide: Hide): FunctionTool => ({
  type: "function",
  name,
  description: hide(description),
  // A copy, because a schema contains more than JSON, which a provider's package would walk into.
  inputSchema: hideIn(fromJson(toJson(parameters)), hide),
})

/** Returns no message for an empty assistant message, because providers reject it. */
const messageOf = (message: ModelMessage, options: PromptOptions): PromptMessage[] => {
  const {hide} = options
  switch (message.role) {
    case "user":
      return [{role: "user", content: [{type: "text", text: hide(message.text)}]}]
    case "assistant": {
      const content = assistantParts(message, options)
      return content.length === 0 ? [] : [{role: "assistant", content}]
    }
    case "tool": {
      const {call: toolCallId, name: toolName, result} = message
      const output = {type: "text", value: hide(result)} as const
      return [{role: "tool", content: [{type: "tool-result", toolCallId, toolName, output}]}]
    }
  }
}

/** Returns the parts in the model's order if its details have it: thoughts must precede what followed from them. */
const assistantParts = (message: Assistant, {source, hide}: PromptOptions): (TextPart | ReasoningPart | CallPart)[] => {
  const details = readDetails(message, source, hide)
  if (details !== undefined) return details
  const text: TextPart[] = message.text.trim() === "" ? [] : [{type: "text", text: hide(message.text)}]
  return [...text, ...message.calls.map(call => callPartOf(call, hide))]
}

/**
 * Shortens the ids of another model's calls, because providers accept only some forms of an id: Anthropic letters,
 * digits, _ and -, Mistral nine letters and digits.
 */
const withIds = (messages: readonly ModelMessage[], source: string): readonly ModelMessage[] => {
  let isForeign = false
  return messages.map(message => {
    if (message.role === "assistant") isForeign = message.source !== undefined && message.source !== source
    if (!isForeign || message.role === "user") return message
    if (message.role === "tool") return {...message, call: shortId(message.call)}
    return {...message, calls: message.calls.map(call => ({...call, id: shortId(call.id)}))}
  })
}

const shortId = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 9)

/** Joins the results of parallel calls into one message, because Anthropic and Google require that. */
const joinResults = (messages: readonly PromptMessage[]): PromptMessage[] => {
  const joined: PromptMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (message.role === "tool" && last?.role === "tool") last.content.push(...message.content)
    else joined.push(message)
  }
  return joined
}
