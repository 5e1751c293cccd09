import {patientFetch} from "../../runtime/outgoing/patient-fetch.ts"
import {cutFailure, failureOfAnswer, failureOfConnection, malformedFailure} from "./failures.ts"
import type {ModelFailure} from "./model.ts"

/** Bytes of one line of a stream: an event of the protocols is one, and no buffer ends it. */
const longestLine = 8 * 1024 * 1024
/** Bytes that are read of an answer that tells a failure. */
const longestFailure = 64 * 1024

/** The HTTP of one call of a model. */
export interface Wire {
  /** For the provider's package. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** What has gone wrong below the package, whatever the package makes of it. */
  readonly failure: () => ModelFailure | undefined
}

export const createWire = (): Wire => {
  let failure: ModelFailure | undefined
  const fail = (error: ModelFailure): ModelFailure => {
    failure ??= error
    return failure
  }
  const answer = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await patientFetch(url, {...init, redirect: "manual"}).catch(error => {
      throw init.signal?.aborted ? error : fail(failureOfConnection(url, error))
    })
    if (!response.ok) throw fail(failureOfAnswer(response, await readSome(response), Date.now()))
    const {body, status, headers} = response
    if (body === null) throw fail(malformedFailure("it is empty"))
    return new Response(boundLines(body, fail), {status, headers})
  }
  return {
    fetch: (input, init = {}) => answer(input instanceof Request ? input.url : String(input), init),
    failure: () => failure,
  }
}

/** The beginning of a body; what cannot be read of it is left out. */
const readSome = async ({body}: Response): Promise<string> => {
  if (body === null) return ""
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  try {
    while (text.length < longestFailure) {
      const {done, value} = await reader.read()
      if (done) break
      text += decoder.decode(value, {stream: true})
    }
  } catch {
    // The status says enough.
  }
  reader.cancel().catch(() => {})
  return text
}

/** The same bytes. It fails behind a line that is too long, and says so where the connection breaks. */
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
