import type {AgentProvider} from "../../../shared/config/agents.ts"
import {fromJson, toExactJson} from "../../../shared/json.ts"
import {tryOr} from "../../../shared/try-or.ts"
import {failureInAnswer, malformedFailure, unknownAnswer} from "./failures.ts"
import {kindOf, type OnUnknown} from "./known-parts.ts"
import type {ModelFailure} from "./model.ts"
import {readerFor} from "./protocols.ts"

/** The longest answer that is one JSON text instead of a stream, in characters. */
const longestText = 8 * 1024 * 1024

interface Options {
  readonly provider: AgentProvider
  /** Records the failure, and returns it. */
  readonly fail: (failure: ModelFailure) => ModelFailure
  readonly onUnknown: OnUnknown
}

/**
 * Rewrites a provider's answer into events of which its package knows everything. What svc does not know is left out,
 * and `onUnknown` hears of it. Fails with the provider's words if the answer reports a failure, or is nothing that svc
 * knows.
 */
export const knownEvents = async (
  body: ReadableStream<Uint8Array>,
  {provider, fail, onUnknown}: Options,
): Promise<ReadableStream<Uint8Array>> => {
  const {createParser} = await import("eventsource-parser")
  const read = readerFor[provider]()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let out: TransformStreamDefaultController<Uint8Array>
  /** The beginning of the answer, until it shows whether it is a stream; then all of it if it is none. */
  let text = ""
  let isStream = false
  let isOver = false
  let hasKnown = false
  let firstUnknown: unknown

  const take = (event: unknown, name?: string) => {
    if (isOver) return
    const failure = failureInAnswer(event, {name, isFirst: !hasKnown})
    if (failure !== undefined) throw fail(failure)
    const known = read(event, onUnknown)
    if (known === undefined) {
      firstUnknown ??= event
      return onUnknown(name ?? kindOf(event))
    }
    hasKnown = true
    out.enqueue(encoder.encode(`data: ${toExactJson(known)}\n\n`))
  }
  /** Some servers leave the connection open after their last event. */
  const end = () => {
    if (!isOver) out.terminate()
    isOver = true
  }
  const parser = createParser({
    onEvent: ({data, event}) => (data === "[DONE]" ? end() : take(parsed(data), event)),
    onError: ({line}) => {
      firstUnknown ??= line
    },
  })
  const feed = (piece: string) => {
    if (isStream) return parser.feed(piece)
    text = (text + piece).trimStart()
    if (text.length > longestText) throw fail(malformedFailure(`it has more than ${longestText} characters`))
    if (/^[^{[]/.test(text)) {
      isStream = true
      parser.feed(text)
    }
  }
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: controller => {
        out = controller
      },
      transform: bytes => feed(decoder.decode(bytes, {stream: true})),
      flush: () => {
        // The last event may lack its empty line.
        if (isStream) parser.feed("\n\n")
        else if (text !== "") for (const event of [parsed(text)].flat()) take(event)
        if (!hasKnown && firstUnknown !== undefined) throw fail(unknownAnswer(firstUnknown))
      },
    }),
  )
}

/** Returns the value of JSON; a text that is none stays a text. */
const parsed = (text: string): unknown => tryOr(() => fromJson(text), text)
