import {createParser} from "eventsource-parser"
import {onTestFinished} from "vitest"
import type {Envelope, Hello, Notice, StreamGap} from "../../../shared/events/event-stream.ts"
import {allOf, type TestHost, until} from "../host/host.ts"

export interface Received {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: unknown
}

export interface EventReader {
  readonly received: readonly Received[]
  readonly response: Response
  hello(): Promise<Hello>
  envelopes(): readonly Envelope[]
  gaps(): readonly StreamGap[]
  notices(): readonly Notice[]
  /** The id that the client would resume from. */
  lastId(): string | undefined
  readonly isEnded: () => boolean
  close(): void
}

export interface ReadOptions {
  readonly cursor?: string
  readonly query?: Readonly<Record<string, string>>
  readonly token?: string
}

/** The names of frames that are not in the log. */
const control = new Set(["hello", "gap", "notice", "cursor"])

/** Reads a Host's event stream until the test ends. */
export const readEvents = async (
  host: Pick<TestHost, "url" | "token">,
  {cursor, query = {}, token = host.token}: ReadOptions = {},
): Promise<EventReader> => {
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const response = await fetch(`${host.url}/api/events?${new URLSearchParams(query)}`, {
    headers: {authorization: `Bearer ${token}`, ...(cursor === undefined ? {} : {"last-event-id": cursor})},
    signal: abort.signal,
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const received: Received[] = []
  let lastId: string | undefined
  let isEnded = false
  const parser = createParser({
    onEvent: ({id, event, data}) => {
      lastId = id ?? lastId
      received.push({id, event, data: JSON.parse(data)})
    },
  })
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, {stream: true}))
  }
  void read()
    .catch(() => {})
    .finally(() => {
      isEnded = true
    })
  const dataOf = (name: string) => received.filter(({event}) => event === name).map(({data}) => data)
  return {
    received,
    response,
    hello: () => until("hello", () => dataOf("hello")[0] as Hello | undefined),
    envelopes: () =>
      received.filter(({event}) => event !== undefined && !control.has(event)).map(({data}) => data as Envelope),
    gaps: () => dataOf("gap") as StreamGap[],
    notices: () => dataOf("notice") as Notice[],
    lastId: () => lastId,
    isEnded: () => isEnded,
    close: () => abort.abort(),
  }
}

/** Reads a Host's whole event log, page by page. */
export const readHistoryOf = (host: Pick<TestHost, "get">, limit = 1000): Promise<readonly Envelope[]> =>
  allOf(after => host.get("/api/events/history", {limit, after}))
