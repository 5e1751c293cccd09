import {HistoryQuery, HistoryView, StreamQuery} from "../../../shared/api/event-stream.ts"
import type {Call, Operation} from "../../../shared/sdk/route.ts"
import {Type} from "../../../shared/type.ts"
import {type Audience, heartbeat, retry} from "../../events/envelope.ts"
import {createFilter} from "../../events/filter.ts"
import {readHistory} from "../../events/history.ts"
import type {EventStream, StreamOptions} from "../../events/stream.ts"

export interface EventServices extends Pick<StreamOptions, "events" | "envelopes" | "epoch"> {
  readonly stream: EventStream
}

export const streamEvents = ({stream}: EventServices): Operation => ({
  summary:
    "The event log as server-sent events; Last-Event-ID resumes the stream, and a gap says what it cannot resume",
  query: StreamQuery,
  response: {200: "text/event-stream"},
  stream: true,
  handle: (request, call) => {
    const filter = filterOf(call)
    const cursor = request.headers.get("last-event-id") || optionalText(call.query.last_event_id)
    const body = stream.open({audience: audienceOf(call), filter, cursor})
    return new Response(body, {headers: {...streamHeaders, "x-request-id": call.requestId}})
  },
})

/** The reconnection delay that clients get, and the interval of heartbeats, in milliseconds. */
const waiting = {comeBack: 2000, beatEvery: 15_000} as const

/** A stream without events until the event log opens. It ends with `opened`, and its client resumes by its last id. */
export const awaitEvents = (opened: AbortSignal): Operation => ({
  summary: "An event stream that waits for the event log",
  query: StreamQuery,
  response: {200: "text/event-stream"},
  stream: true,
  handle: (_, call) => {
    const ended = new AbortController()
    const either = AbortSignal.any([opened, ended.signal])
    const body = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          const say = (text: string) => controller.enqueue(new TextEncoder().encode(text))
          say(retry(waiting.comeBack))
          const beating = setInterval(() => {
            if ((controller.desiredSize ?? 0) > -65_536) say(heartbeat)
          }, waiting.beatEvery)
          either.addEventListener("abort", () => {
            clearInterval(beating)
            if (!ended.signal.aborted) controller.close()
          })
        },
        cancel: () => ended.abort(),
      },
      new ByteLengthQueuingStrategy({highWaterMark: 65_536}),
    )
    return new Response(body, {headers: {...streamHeaders, "x-request-id": call.requestId}})
  },
})

export const listEvents = ({events, stream, envelopes, epoch}: EventServices): Operation => ({
  summary: "The event log as pages, oldest first",
  query: HistoryQuery,
  response: {200: HistoryView},
  handle: async (_, call) => {
    const filter = filterOf(call)
    const {after, limit} = call.query
    const page = await readHistory(events, envelopes, epoch, {after: optionalText(after), limit: Number(limit), filter})
    if (page.gap !== null) stream.countGap(page.gap.reason)
    const {head, evictedTo} = page.extent
    // The projection of each type was already applied.
    return call.json(Type.Unknown(), {
      epoch,
      head: envelopes.idOf(head),
      oldest: envelopes.idOf(evictedTo + 1),
      gap: page.gap,
      items: page.items.map(event => envelopes.envelope(event, audienceOf(call))),
      next: page.next === undefined ? null : envelopes.idOf(page.next),
    })
  },
})

/** Intermediaries must not store, change or buffer the stream. */
const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
  vary: "Origin",
}

const optionalText = (value: unknown): string | undefined => (value === undefined ? undefined : String(value))

const filterOf = ({query}: Call) => createFilter(optionalText(query.types), optionalText(query.endpoint))

const audienceOf = ({scope}: Call): Audience => (scope === "full" ? "full" : "demo")
