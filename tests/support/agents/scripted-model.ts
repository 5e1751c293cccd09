import {createServer, type ServerResponse} from "node:http"
import {json} from "node:stream/consumers"
import {setTimeout as sleep} from "node:timers/promises"
import {listen} from "../machine/listen.ts"
import {type ChatBody, type ModelQuestion, questionOf} from "./question.ts"

/** A call of the scripted model. `name` may have a dot, as in bindings. A string in `args` is sent unchanged. */
export interface ScriptedCall {
  readonly name: string
  readonly args?: unknown
}

export interface ScriptedAnswer {
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Ends the answer as too long, or as withheld by a filter. */
  readonly finish?: "length" | "content_filter"
  /** The tokens that the answer reports: counted from the characters by default, not reported if null. */
  readonly usage?: {readonly input: number; readonly output: number} | null
  /** The delay before the answer, in milliseconds. */
  readonly delay?: number
  /** The delay before each piece of the text, in milliseconds. */
  readonly pace?: number
  /** Goes silent with the connection open: before the headers, after them, or after the text. */
  readonly hang?: "before" | "headers" | "text"
  /** Cuts the connection after the text. */
  readonly cut?: boolean
  /** An HTTP failure instead of an answer. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The provider's message for the failure. */
  readonly message?: string
  /** A raw body instead of a stream. */
  readonly body?: string
}

/** The beginning of the binding `helper` below `agents:`, at the address of a scripted model. */
export const helperAt = (url: string): string => `  helper:
    provider: openai-compatible
    model: scripted
    baseURL: ${url}
    instructions: You help.
`

/** The answers of a list in order, with the last one repeated. */
export type Script = readonly ScriptedAnswer[] | ((question: ModelQuestion) => ScriptedAnswer | Promise<ScriptedAnswer>)

export interface ScriptedModel {
  /** For `baseURL`. */
  readonly url: string
  readonly requests: readonly ModelQuestion[]
  /** The number of connections that the client closed before the response was complete. */
  closed(): number
  follow(script: Script): void
}

/**
 * A stand-in for a model server: the OpenAI protocol over real HTTP, with streaming, on a free port of this machine
 * until the test ends. There is no model behind it: the test's script provides the answers. It accepts any key and any
 * model name.
 */
export const startScriptedModel = async (script: Script): Promise<ScriptedModel> => {
  const requests: ModelQuestion[] = []
  let followed = script
  let closed = 0
  const server = createServer(async (request, response) => {
    response.on("close", () => {
      if (!response.writableFinished) closed++
    })
    const question = questionOf((await json(request)) as ChatBody, request.headers, requests.length)
    requests.push(question)
    const answer = await answerOf(followed, question)
    if (!response.destroyed) await play(answer, question, response)
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    closed: () => closed,
    follow: next => {
      followed = next
    },
  }
}

/** A script that throws answers 500 with its message, so that the test shows it. */
const answerOf = async (script: Script, question: ModelQuestion): Promise<ScriptedAnswer> => {
  try {
    if (typeof script === "function") return await script(question)
    return script[Math.min(question.index, script.length - 1)] ?? {text: ""}
  } catch (error) {
    return {status: 500, message: `the script of the test failed: ${error}`}
  }
}

const play = async (answer: ScriptedAnswer, question: ModelQuestion, response: ServerResponse): Promise<void> => {
  if (answer.delay !== undefined) await sleep(answer.delay)
  if (answer.hang === "before") return
  if (answer.status !== undefined) return fail(answer, answer.status, response)
  response.writeHead(200, {"content-type": "text/event-stream", ...answer.headers})
  if (answer.body !== undefined) return void response.end(answer.body)
  response.flushHeaders()
  if (answer.hang === "headers") return
  for (const delta of textDeltas(answer.text ?? "")) {
    if (answer.pace !== undefined) await sleep(answer.pace)
    if (response.destroyed) return
    write(response, question, {choices: [{index: 0, delta, finish_reason: null}]})
  }
  if (answer.hang === "text") return
  if (answer.cut === true) return void setImmediate(() => response.destroy())
  end(answer, question, response)
}

const fail = ({message, headers}: ScriptedAnswer, status: number, response: ServerResponse): void => {
  response.writeHead(status, {"content-type": "application/json", ...headers})
  response.end(JSON.stringify({error: {message: message ?? `scripted ${status}`, type: "scripted", code: null}}))
}

const textDeltas = (text: string) =>
  (text.match(/\S*\s*/g) ?? []).filter(word => word !== "").map(content => ({role: "assistant", content}))

const end = (answer: ScriptedAnswer, question: ModelQuestion, response: ServerResponse): void => {
  const calls = (answer.calls ?? []).map(({name, args = {}}, index) => ({
    index,
    id: `call_${question.index}_${index}`,
    type: "function",
    function: {name: name.replaceAll(".", "__"), arguments: typeof args === "string" ? args : JSON.stringify(args)},
  }))
  for (const call of calls) write(response, question, {choices: [{index: 0, delta: {tool_calls: [call]}}]})
  const reason = answer.finish ?? (calls.length > 0 ? "tool_calls" : "stop")
  write(response, question, {choices: [{index: 0, delta: {}, finish_reason: reason}]})
  const usage = usageOf(answer, question)
  if (usage !== undefined) write(response, question, {choices: [], usage})
  response.end("data: [DONE]\n\n")
}

const usageOf = ({usage, text = "", calls = []}: ScriptedAnswer, question: ModelQuestion) => {
  if (usage === null) return undefined
  const input = usage?.input ?? Math.ceil(JSON.stringify(question.body.messages).length / 4)
  const output = usage?.output ?? Math.ceil((text.length + JSON.stringify(calls).length) / 4)
  return {prompt_tokens: input, completion_tokens: output, total_tokens: input + output}
}

const write = (response: ServerResponse, question: ModelQuestion, chunk: object): void => {
  const head = {id: `answer_${question.index}`, object: "chat.completion.chunk", created: 0, model: question.model}
  response.write(`data: ${JSON.stringify({...head, ...chunk})}\n\n`)
}
