import {once} from "node:events"
import {readFileSync} from "node:fs"
import {createServer, type IncomingMessage} from "node:http"
import type {AddressInfo} from "node:net"

/** An answer of `recording.json`, with the conditions for it. */
interface Recorded {
  /** The user's last message. */
  readonly asked: string
  /** The number of tool results after that message. */
  readonly results: number
  /** A part of the last of these results. */
  readonly last?: string
  readonly text?: string
  readonly call?: {readonly name: string; readonly arguments: object}
}

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content: string
}

/** Runs `work` with a server that speaks OpenAI's protocol and answers from `recording.json`. `url` is its address. */
export const withModel = async (work: (url: string) => Promise<void>): Promise<void> => {
  const {answers} = JSON.parse(readFileSync(new URL("recording.json", import.meta.url), "utf8")) as {
    answers: Recorded[]
  }
  const server = createServer(async (request, response) => {
    const {messages} = await readJson(request)
    const answer = answers.find(each => fits(each, messages))
    if (answer === undefined) {
      // The agent's run fails with this message, and so does the test.
      response.writeHead(400, {"content-type": "application/json"})
      const message = `recording.json has no answer to ${JSON.stringify(messages.slice(-2))}`
      return void response.end(JSON.stringify({error: {message}}))
    }
    response.writeHead(200, {"content-type": "text/event-stream"})
    for (const chunk of chunksOf(answer)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end("data: [DONE]\n\n")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const readJson = async (request: IncomingMessage): Promise<{readonly messages: readonly Message[]}> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const fits = ({asked, results, last = ""}: Recorded, messages: readonly Message[]): boolean => {
  const at = messages.findLastIndex(({role}) => role === "user")
  const found = messages.slice(at).filter(({role}) => role === "tool")
  return messages[at]?.content === asked && found.length === results && (found.at(-1)?.content ?? "").includes(last)
}

/** Returns an answer as a stream: its text word by word, or its call. */
const chunksOf = ({text = "", call}: Recorded): readonly object[] => {
  const about = {id: "recorded", object: "chat.completion.chunk", created: 0, model: "recorded"}
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...about,
    choices: [{index: 0, delta, finish_reason}],
  })
  const words = (text.match(/\S+\s*/g) ?? []).map(content => chunk({role: "assistant", content}))
  const usage = {...about, choices: [], usage: {prompt_tokens: 200, completion_tokens: 20, total_tokens: 220}}
  if (call === undefined) return [...words, chunk({}, "stop"), usage]
  const called = {
    index: 0,
    id: "call_1",
    type: "function",
    function: {...call, arguments: JSON.stringify(call.arguments)},
  }
  return [chunk({role: "assistant", tool_calls: [called]}), chunk({}, "tool_calls"), usage]
}
