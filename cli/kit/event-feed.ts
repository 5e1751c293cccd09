import {setTimeout as sleep} from "node:timers/promises"
import {createParser} from "eventsource-parser"
import {isProblem} from "../../shared/problems.ts"
import {connectHost, type HostClient, mayComeFromRestart} from "./host-client.ts"

/** One event of a Host's stream; `json` is its data, unparsed. */
export interface Told {
  readonly event: string
  readonly json: string
}

export interface FeedOptions {
  readonly project: string
  /** The path and query of the stream. */
  readonly path: string
  /** The id of the event to continue after. */
  readonly after?: string | undefined
  readonly signal: AbortSignal
  /** Called each time that the Host has begun to answer with the stream. */
  readonly onOpen?: () => void
  /** Called once each time that the Host goes offline. */
  readonly onAway: () => void
}

/** The pause between two attempts to reach an offline Host, in milliseconds. */
const pause = 300

/** The longest silence of a live stream, in milliseconds: the Host sends a comment every 15 s. */
const silence = 45_000

/** A new Host writes its token a moment after it answers; a token that it refuses more often is wrong. */
const mostRefusals = 5

/**
 * Yields the events of a Host's stream across restarts. It finds the new Host by `.svc/host.json`, and continues after the
 * last event's id. Ends with its signal. Throws the errors of the first connection, and later those that no restart explains.
 */
export async function* followEvents(options: FeedOptions): AsyncGenerator<Told> {
  const {project, signal} = options
  let lastId = options.after
  let host: HostClient | undefined = await connectHost(project)
  let isAway = false
  let refusals = 0
  while (!signal.aborted) {
    try {
      host ??= await connectHost(project)
      for await (const {id, event = "message", data} of connection(host, options, lastId)) {
        if (isAway) isAway = false
        refusals = 0
        lastId = id ?? lastId
        yield {event, json: data}
      }
    } catch (error) {
      if (signal.aborted) return
      refusals = isProblem(error, "unauthorized") ? refusals + 1 : 0
      if (refusals > mostRefusals || !(error instanceof StreamLost || mayComeFromRestart(error))) throw error
    }
    host = undefined
    if (!isAway && !signal.aborted) options.onAway()
    isAway = true
    await sleep(pause, undefined, {signal}).catch(() => {})
  }
}

/** The connection broke, or was silent for too long. */
class StreamLost extends Error {}

interface Message {
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly data: string
}

/** Yields the events of one connection, until it ends. */
async function* connection(
  host: HostClient,
  {path, signal, onOpen}: FeedOptions,
  lastId: string | undefined,
): AsyncGenerator<Message> {
  const quiet = new AbortController()
  let alarm = setTimeout(() => quiet.abort(), silence)
  const messages: Message[] = []
  const parser = createParser({onEvent: message => void messages.push(message)})
  try {
    const headers = lastId === undefined ? {} : {"last-event-id": lastId}
    const response = await host.open(path, AbortSignal.any([signal, quiet.signal]), headers)
    onOpen?.()
    const decoder = new TextDecoder()
    for await (const chunk of chunksOf(response)) {
      clearTimeout(alarm)
      alarm = setTimeout(() => quiet.abort(), silence)
      parser.feed(decoder.decode(chunk, {stream: true}))
      yield* messages.splice(0)
    }
  } finally {
    clearTimeout(alarm)
    quiet.abort()
  }
}

async function* chunksOf({body}: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  while (reader !== undefined) {
    const {done, value} = await reader.read().catch(cause => {
      throw new StreamLost("the connection was lost", {cause})
    })
    if (done) return
    yield value
  }
}
