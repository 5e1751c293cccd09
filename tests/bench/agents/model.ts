import {createServer, type IncomingMessage, type ServerResponse} from "node:http"
import {setTimeout as sleep} from "node:timers/promises"
import {listen} from "../../../server/testing/platforms/fake/serve.ts"

export interface Pace {
  /** The number of tool calls in an answer. */
  readonly calls: number
  /** The time of an answer in milliseconds, in twenty pieces of text; 0 for an immediate answer. */
  readonly takes: number
}

export interface BenchModel {
  readonly url: string
  /** The milliseconds from the end of each answer until the Host's next request, for one run at a time. */
  readonly gaps: number[]
  asked(): number
  /** Sets the pace from now on. Without a pace, the next answer ends the run. */
  follow(pace: Pace | undefined): void
  close(): void
}

const pieces = 20

/** A stand-in for a model server with the OpenAI protocol, which calls `bot.look` forever. */
export const startModel = async (): Promise<BenchModel> => {
  const gaps: number[] = []
  let followed: Pace | undefined
  let ended: number | undefined
  let count = 0
  const server = createServer(async (request, response) => {
    await readAll(request)
    if (ended !== undefined) gaps.push(performance.now() - ended)
    const pace = followed
    await answer(response, pace, ++count)
    ended = pace === undefined ? undefined : performance.now()
  })
  let close = () => {}
  const port = await listen(server, undo => {
    close = () => void undo()
  })
  return {
    url: `http://127.0.0.1:${port}/v1`,
    gaps,
    asked: () => count,
    follow: pace => {
      followed = pace
      ended = undefined
      gaps.length = 0
    },
    close,
  }
}

const readAll = async (request: IncomingMessage): Promise<void> => {
  for await (const _ of request);
}

const answer = async (response: ServerResponse, pace: Pace | undefined, id: number): Promise<void> => {
  response.writeHead(200, {"content-type": "text/event-stream"})
  const say = (delta: object, finish: string | null = null) => {
    const chunk = {id: `${id}`, object: "chat.completion.chunk", created: 0, model: "bench", usage: null}
    response.write(`data: ${JSON.stringify({...chunk, choices: [{index: 0, delta, finish_reason: finish}]})}\n\n`)
  }
  if (pace === undefined) say({role: "assistant", content: "done"})
  for (let piece = 0; pace !== undefined && pace.takes > 0 && piece < pieces; piece++) {
    await sleep(pace.takes / pieces)
    say({role: "assistant", content: "thinking "})
  }
  for (let index = 0; index < (pace?.calls ?? 0); index++) {
    const call = {name: "bot__look", arguments: JSON.stringify({n: id * 1000 + index})}
    say({tool_calls: [{index, id: `call_${id}_${index}`, type: "function", function: call}]})
  }
  say({}, pace === undefined ? "stop" : "tool_calls")
  response.end("data: [DONE]\n\n")
}
