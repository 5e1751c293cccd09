import {createServer, type IncomingMessage} from "node:http"
import {setTimeout as sleep} from "node:timers/promises"

/** The model's answer to one request. */
export interface Turn {
  readonly text: string
  /** The tool call that it requests. */
  readonly call?: {readonly name: string; readonly args: object}
  /** How long the answer takes, in milliseconds. */
  readonly takes: number
}

interface Asked {
  readonly messages: readonly {readonly role: string}[]
}

const read = async (request: IncomingMessage): Promise<Asked> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const pieces = ({text, call}: Turn): readonly object[] => {
  const tools = {
    tool_calls: [
      {
        index: 0,
        id: "call",
        type: "function",
        function: {name: call?.name, arguments: JSON.stringify(call?.args)},
      },
    ],
  }
  return [
    {choices: [{index: 0, delta: {role: "assistant", content: text}}]},
    ...(call === undefined ? [] : [{choices: [{index: 0, delta: tools}]}]),
    {choices: [{index: 0, delta: {}, finish_reason: call === undefined ? "stop" : "tool_calls"}]},
    {choices: [], usage: {prompt_tokens: 400 + text.length, completion_tokens: 60, total_tokens: 460 + text.length}},
  ]
}

/** Starts a stand-in for a model in the OpenAI protocol. It uses the turn whose number is the count of tool results. */
export const startModel = async (turns: readonly Turn[]): Promise<{readonly url: string}> => {
  const server = createServer(async (request, response) => {
    const {messages} = await read(request)
    const turn = turns[Math.min(messages.filter(({role}) => role === "tool").length, turns.length - 1)]
    if (turn === undefined) throw new Error("the model has no turn")
    await sleep(turn.takes)
    response.writeHead(200, {"content-type": "text/event-stream"})
    for (const piece of pieces(turn)) {
      const chunk = {id: "answer", object: "chat.completion.chunk", created: 0, model: "small", ...piece}
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    response.end("data: [DONE]\n\n")
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`}
}
