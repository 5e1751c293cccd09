import {setTimeout as sleep} from "node:timers/promises"
import {createParser} from "eventsource-parser"
import {isProblem, type ProblemCode} from "../../shared/problems.ts"
import {connectHost, type HostClient} from "./host-client.ts"

/** One event of a Host's stream; `json` is its data as it came. */
export interface Told {
  readonly event: string
  readonly json: string
}

export interface FeedOptions {
  readonly project: string
  /** The address of the stream, from its path on. */
  readonly path: string
  /** Goes on after this event. */
  readonly after: string | undefined
  readonly signal: AbortSignal
  /** The Host is away, and waited for. Told once until it is back. */
  readonly onAway: () => void
}

/** How often a Host that is away is looked for, in milliseconds. */
const pause = 300

/** A stream that is silent for so long is dead: a comment comes every 15 s. */
const silence = 45_000

/** What a Host answers, or does not, while it is started anew; in development its token changes too. */
const away: readonly ProblemCode[] = ["host_unreachable", "starting", "stopping", "unauthorized"]

/** A new Host's token is in its file a moment after it answers; one that is refused more often is wrong. */
const mostRefusals = 5

/**
 * A Host's event stream, across restarts: found anew by `.svc/host.json`, and gone on with by the id of the last event.
 * Ends with its signal. Throws what the first connection throws, and later what no restart explains.
 */
export async function* followEvents(options: FeedOptions): AsyncGenerator<Told> {
  const {project, path, signal} = options
  let lastId = options.after
  let host: HostClient | undefined = await connectHost(project)
  let isAway = false
  let refusals = 0
  while (!signal.aborted) {
    try {
      host ??= await connectHost(project)
      for await (const {id, event = "message", data} of connection(host, path, lastId, signal)) {
        if (isAway) isAway = false
        refusals = 0
        lastId = id ?? lastId
        yield {event, json: data}
      }
    } catch (error) {
      if (signal.aborted) return
      refusals = isProblem(error, "unauthorized") ? refusals + 1 : 0
      if (refusals > mostRefusals || (!(error instanceof StreamLost) && !away.some(code => isProblem(error, code))))
        throw error
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

/** The events of one connection, until it ends. */
async function* connection(
  host: HostClient,
  path: string,
  lastId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const quiet = new AbortController()
  let alarm = setTimeout(() => quiet.abort(), silence)
  const messages: Message[] = []
  const parser = createParser({onEvent: message => void messages.push(message)})
  try {
    const headers = lastId === undefined ? {} : {"last-event-id": lastId}
    const response = await host.open(path, AbortSignal.any([signal, quiet.signal]), headers)
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
