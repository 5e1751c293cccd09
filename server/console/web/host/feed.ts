import {createParser} from "eventsource-parser"
import type {Envelope, Hello, Notice, StreamGap} from "../../../../shared/events/event-stream.ts"
import {type Backoff, pauseAfter} from "../../../../shared/sdk/adapter/backoff.ts"
import {type HostClient, Refusal} from "./client.ts"

/** The state of the connection to the Host's event stream. `since` is in milliseconds since 1970. */
export type ConnectionState =
  | {readonly is: "connecting"}
  | {readonly is: "live"; readonly since: number}
  | {readonly is: "away"; readonly since: number}
  /** The Host no longer accepts the token: the page does not retry. */
  | {readonly is: "refused"; readonly refusal: Refusal}

export interface FeedListener {
  state(state: ConnectionState): void
  hello(hello: Hello): void
  event(envelope: Envelope): void
  gap(gap: StreamGap): void
  notice(notice: Notice): void
}

/** A stream without data for this long is dead, since the Host sends a comment every 15 s. In milliseconds. */
const silence = 40_000

/** With jitter, so that not all open pages reconnect at once after a restart. */
const pauses: Backoff = {first: 300, longest: 5000}

/**
 * Follows a Host's event stream until the signal aborts. It uses fetch, because EventSource cannot send a token. After
 * a break it resumes after the last event id, and retries until the Host rejects the token.
 */
export const followEvents = async (client: HostClient, listener: FeedListener, signal: AbortSignal): Promise<void> => {
  let lastId: string | undefined
  let failures = 0
  let awaySince: number | undefined
  while (!signal.aborted) {
    try {
      await readOnce(client, lastId, signal, message => {
        if (message.event === "hello") {
          failures = 0
          awaySince = undefined
          listener.state({is: "live", since: Date.now()})
        }
        lastId = message.id ?? lastId
        tell(message, listener)
      })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Refusal && (error.status === 401 || error.status === 403)) {
        listener.state({is: "refused", refusal: error})
        return
      }
    }
    if (signal.aborted) return
    awaySince ??= Date.now()
    listener.state({is: "away", since: awaySince})
    await sleep(pauseAfter(++failures, pauses), signal)
  }
}

interface Message {
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly data: string
}

const tell = ({event, data}: Message, listener: FeedListener): void => {
  if (event === "hello") listener.hello(JSON.parse(data))
  else if (event === "gap") listener.gap(JSON.parse(data))
  else if (event === "notice") listener.notice(JSON.parse(data))
  else if (event !== "cursor" && event !== undefined) listener.event(JSON.parse(data))
}

const readOnce = async (
  client: HostClient,
  lastId: string | undefined,
  signal: AbortSignal,
  onMessage: (message: Message) => void,
): Promise<void> => {
  const quiet = new AbortController()
  let alarm = setTimeout(() => quiet.abort(), silence)
  try {
    const headers: Readonly<Record<string, string>> = lastId === undefined ? {} : {"last-event-id": lastId}
    const both = AbortSignal.any([signal, quiet.signal])
    const response = await client.open("/api/events", {}, {signal: both, headers})
    const parser = createParser({onEvent: onMessage})
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const chunk = await reader?.read()
      if (chunk === undefined || chunk.done) return
      clearTimeout(alarm)
      alarm = setTimeout(() => quiet.abort(), silence)
      parser.feed(chunk.value)
    }
  } finally {
    clearTimeout(alarm)
    quiet.abort()
  }
}

/** Resolves early when the network is back or the signal aborts. */
const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener("online", end)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    addEventListener("online", end)
    signal.addEventListener("abort", end)
  })
