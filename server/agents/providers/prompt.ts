import {fromJson, toJson} from "../../../shared/json.ts"
import {callPartOf} from "./call-part.ts"
import {readDetails} from "./details.ts"
import {type Hide, hideIn} from "./hiding.ts"
import type {CallOptions, CallPart, FunctionTool, PromptMessage, ReasoningPart, TextPart} from "./language-model.ts"
import type {ModelMessage, ModelRequest} from "./model.ts"

/** Which model's own details go back to it: those of another say nothing to it. */
export interface PromptOptions {
  readonly source: string
  readonly hide: Hide
}

/** A request as a provider's package takes it, with nothing in it that `hide` hides. */
export const promptOf = (
  {instructions, messages, tools, output}: ModelRequest,
  options: PromptOptions,
): Omit<CallOptions, "abortSignal"> => ({
  prompt: [
    ...(instructions === "" ? [] : [{role: "system" as const, content: options.hide(instructions)}]),
    ...joinResults(messages.flatMap(message => messageOf(message, options))),
  ],
  ...(tools.length === 0 ? {} : {tools: tools.map(tool => toolOf(tool, options.hide))}),
  maxOutputTokens: output,
})

const toolOf = ({name, description, parameters}: ModelRequest["tools"][number], hide: Hide): FunctionTool => ({
  type: "function",
  name,
  description: hide(description),
  // A copy: a schema holds more than JSON, which a provider's package would walk into.
  inputSchema: hideIn(fromJson(toJson(parameters)), hide),
})

/** Nothing for an assistant that said nothing: providers refuse an empty message. */
const messageOf = (message: ModelMessage, options: PromptOptions): PromptMessage[] => {
  const {hide} = options
  switch (message.role) {
    case "user":
      return [{role: "user", content: [{type: "text", text: hide(message.text)}]}]
    case "assistant": {
      const content = assistantParts(message, options)
      return content.length === 0 ? [] : [{role: "assistant", content}]
    }
    case "tool":
      return [
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: message.call,
              toolName: message.name,
              output: {type: "text", value: hide(message.result)},
            },
          ],
        },
      ]
  }
}

type Assistant = Extract<ModelMessage, {role: "assistant"}>

/** In the order in which the model said them, where its details have it: thoughts belong in front of what they led to. */
const assistantParts = (message: Assistant, {source, hide}: PromptOptions): (TextPart | ReasoningPart | CallPart)[] => {
  const details = readDetails(message, source, hide)
  if (details !== undefined) return details
  const text: TextPart[] = message.text === "" ? [] : [{type: "text", text: hide(message.text)}]
  return [...text, ...message.calls.map(call => callPartOf(call, hide))]
}

/** The results of calls that the model asked for side by side are one message: Anthropic and Google want them together. */
const joinResults = (messages: readonly PromptMessage[]): PromptMessage[] => {
  const joined: PromptMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (message.role === "tool" && last?.role === "tool") last.content.push(...message.content)
    else joined.push(message)
  }
  return joined
}
