import type {AgentProvider} from "../../../shared/config/agents.ts"
import {readStart} from "../../../shared/sdk/adapter/answer.ts"
import {patientFetch} from "../../runtime/outgoing/patient-fetch.ts"
import {cutFailure, failureOfAnswer, failureOfConnection, malformedFailure} from "./failures.ts"
import {knownEvents} from "./known-events.ts"
import type {OnUnknown} from "./known-parts.ts"
import type {ModelFailure} from "./model.ts"

/** The longest line of a stream, in bytes. An event of the protocols is one line, and no buffer limits it. */
const longestLine = 8 * 1024 * 1024
/** The bytes that are read of a failure's answer. */
const longestFailure = 64 * 1024

export interface Wire {
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Returns the failure below the package, whatever the package makes of it. */
  readonly failure: () => ModelFailure | undefined
}

export const createWire = (provider: AgentProvider, onUnknown: OnUnknown): Wire => {
  let failure: ModelFailure | undefined
  const fail = (error: ModelFailure): ModelFailure => {
    failure ??= error
    return failure
  }
  const answer = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await patientFetch(url, {...init, redirect: "manual"}).catch(error => {
      throw init.signal?.aborted ? error : fail(failureOfConnection(url, error))
    })
    if (!response.ok) throw fail(failureOfAnswer(response, await readSome(response.body), Date.now()))
    const {body, status, headers} = response
    if (body === null) throw fail(malformedFailure("it is empty"))
    return new Response(await knownEvents(boundLines(body, fail), {provider, fail, onUnknown}), {status, headers})
  }
  return {
    fetch: (input, init = {}) => answer(input instanceof Request ? input.url : String(input), init),
    failure: () => failure,
  }
}

/** Reads the beginning of a body. If that breaks, the status is enough. */
const readSome = async (body: Response["body"]): Promise<string> =>
  new TextDecoder().decode((await readStart(body, longestFailure).catch(() => undefined))?.bytes)

/** Passes the bytes through. Fails at a line that is too long, and reports a broken connection. */
const boundLines = (
  body: ReadableStream<Uint8Array>,
  fail: (error: ModelFailure) => ModelFailure,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let line = 0
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const {done, value} = await reader.read().catch(() => {
          throw fail(cutFailure())
        })
        if (done) return controller.close()
        const end = value.lastIndexOf(10)
        line = end === -1 ? line + value.length : value.length - end - 1
        if (line > longestLine) {
          reader.cancel().catch(() => {})
          throw fail(malformedFailure("a line of it does not end"))
        }
        controller.enqueue(value)
      },
      cancel: reason => reader.cancel(reason),
    },
    {highWaterMark: 0},
  )
}
