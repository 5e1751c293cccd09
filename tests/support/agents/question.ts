import type {IncomingHttpHeaders} from "node:http"

interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content?: string | readonly {readonly text?: string}[] | null
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: {readonly name: string; readonly arguments: string}
  }[]
}

export interface ChatBody {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly {readonly function: {readonly name: string}}[]
}

export interface AskedMessage {
  readonly role: "user" | "assistant" | "tool"
  readonly text: string
  /** The calls of an assistant; names as in bindings, with a dot. */
  readonly calls: readonly {readonly id: string; readonly name: string; readonly args: string}[]
  /** The call that a tool's result answers. */
  readonly call: string | undefined
}

export interface ModelQuestion {
  /** 0 for the first. */
  readonly index: number
  readonly model: string
  readonly instructions: string
  readonly messages: readonly AskedMessage[]
  /** The last message: the user's, or a tool's result. */
  readonly last: AskedMessage
  /** The number of tool results since the question. It identifies the turn of the run, whatever was repeated before. */
  readonly results: number
  /** Names as in bindings. */
  readonly tools: readonly string[]
  readonly body: ChatBody
  readonly headers: IncomingHttpHeaders
}

export const questionOf = (body: ChatBody, headers: IncomingHttpHeaders, index: number): ModelQuestion => {
  const messages = body.messages.flatMap(each => (each.role === "system" ? [] : [askedOf(each, each.role)]))
  const last = messages.at(-1)
  if (last === undefined) throw new Error("a model was asked nothing")
  return {
    index,
    model: body.model,
    instructions: body.messages
      .filter(({role}) => role === "system")
      .map(textOf)
      .join("\n"),
    messages,
    last,
    results: messages.slice(messages.findLastIndex(({role}) => role === "user")).filter(({role}) => role === "tool")
      .length,
    tools: (body.tools ?? []).map(each => dotted(each.function.name)),
    body,
    headers,
  }
}

const askedOf = (message: ChatMessage, role: AskedMessage["role"]): AskedMessage => ({
  role,
  text: textOf(message),
  calls: (message.tool_calls ?? []).map(({id, function: {name, arguments: args}}) => ({id, name: dotted(name), args})),
  call: message.tool_call_id,
})

const textOf = ({content}: ChatMessage): string =>
  typeof content === "string" ? content : (content ?? []).map(({text = ""}) => text).join("")

const dotted = (name: string) => name.replaceAll("__", ".")
