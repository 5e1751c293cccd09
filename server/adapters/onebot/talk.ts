import {randomUUID} from "node:crypto"
import {tryParseJson} from "../../../shared/sdk/sdk.ts"
import {type Ask, isRecord, resultOf, wrongToken} from "./api.ts"

type Payload = Readonly<Record<string, unknown>>

/** The transport of a conversation with the implementation. */
export interface Line {
  /** Throws or rejects if the connection is closed. */
  send(text: string): unknown
  event(payload: Payload): void
  /** Aborted once no answer can come. */
  readonly ended: AbortSignal
}

/** The purpose of a connection: a connection for actions brings answers, one for events brings events. */
export interface Brings {
  readonly answers: boolean
  readonly events: boolean
}

/** Actions and events over WebSockets (OneBot v11, "communication/ws"). `echo` matches an answer to its action. */
export class Talk {
  readonly #line: Line
  readonly #waiting = new Map<string, (answer: unknown) => void>()
  #isRefused = false

  constructor(line: Line) {
    this.#line = line
  }

  /** Whether the implementation has rejected the token. */
  get isRefused(): boolean {
    return this.#isRefused
  }

  hear(data: unknown, {answers, events}: Brings = {answers: true, events: true}): void {
    const payload = parse(data)
    if (payload === undefined) return
    const answered = answers && typeof payload.echo === "string" ? this.#waiting.get(payload.echo) : undefined
    if (answered !== undefined) answered(payload)
    else if (payload.post_type === undefined) this.#isRefused ||= payload.retcode === 1401 || payload.retcode === 1403
    else if (events) this.#line.event(payload)
  }

  readonly ask: Ask = async (action, params, signal) => {
    if (this.#line.ended.aborted) throw this.#failure("the connection is closed")
    const echo = randomUUID()
    const over = AbortSignal.any([signal, this.#line.ended])
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(echo, resolve)
      const fail = () =>
        reject(this.#failure(`the implementation did not answer ${action}; it may have carried it out`))
      if (over.aborted) fail()
      else over.addEventListener("abort", fail, {once: true})
    })
    const send = async () => this.#line.send(JSON.stringify({action, params, echo}))
    try {
      const [answered] = await Promise.all([answer, send()])
      return resultOf(action, answered)
    } finally {
      this.#waiting.delete(echo)
    }
  }

  #failure(message: string): Error {
    return this.#isRefused ? wrongToken() : new Error(message)
  }
}

const parse = (data: unknown): Payload | undefined => {
  const value = tryParseJson(typeof data === "string" ? data : "")
  return isRecord(value) ? value : undefined
}
