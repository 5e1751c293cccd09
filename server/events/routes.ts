import {setMaxListeners} from "node:events"
import {setTimeout as sleep} from "node:timers/promises"
import {eventOperations} from "../../shared/api/operations/host.ts"
import {Reply, serve} from "../../shared/api/operations/operation.ts"
import type {Call, Scope} from "../../shared/route.ts"
import {Type} from "../../shared/type.ts"
import {type Audience, heartbeat, retry} from "./envelope.ts"
import {createFilter} from "./filter.ts"
import {readHistory} from "./history.ts"
import type {EventStream, StreamOptions} from "./stream.ts"

export interface EventServices extends Pick<StreamOptions, "events" | "envelopes" | "epoch"> {
  readonly stream: EventStream
}

export const eventRoutes = ({events, stream, envelopes, epoch}: EventServices) =>
  serve(eventOperations, {
    stream: ({query, scope, request, call}) => {
      const cursor = request.headers.get("last-event-id") || query.last_event_id
      const filter = createFilter(query.types, query.endpoint)
      return streaming(stream.open({audience: audienceOf(scope), filter, cursor}), call)
    },
    history: async ({query: {after, limit, types, endpoint}, scope}) => {
      const filter = createFilter(types, endpoint)
      const page = await readHistory(events, envelopes, epoch, {after, limit: Number(limit), filter})
      if (page.gap !== null) stream.countGap(page.gap.reason)
      const {head, evictedTo} = page.extent
      const view = {
        epoch,
        head: envelopes.idOf(head),
        oldest: envelopes.idOf(evictedTo + 1),
        gap: page.gap,
        items: page.items.map(event => envelopes.envelope(event, audienceOf(scope))),
        next: page.next === undefined ? null : envelopes.idOf(page.next),
      }
      // The projection of each type was already applied.
      return new Reply(200, view, Type.Unknown())
    },
  })

/** The reconnection delay that clients get, and the interval of heartbeats, in milliseconds. */
const waiting = {comeBack: 2000, beatEvery: 15_000} as const

/** A stream without events until the event log opens. It ends with `opened`, and its client resumes by its last id. */
export const waitingEventRoutes = (opened: AbortSignal) => {
  // Each client listens.
  setMaxListeners(0, opened)
  return serve(
    {stream: eventOperations.stream},
    {
      stream: ({call}) => {
        const encoder = new TextEncoder()
        const body = new ReadableStream<Uint8Array>({
          start: controller => controller.enqueue(encoder.encode(retry(waiting.comeBack))),
          pull: async controller => {
            await sleep(waiting.beatEvery, undefined, {signal: opened, ref: false}).catch(() => {})
            if (opened.aborted) controller.close()
            else controller.enqueue(encoder.encode(heartbeat))
          },
        })
        return streaming(body, call)
      },
    },
  )
}

/** Intermediaries must not store, change or buffer the stream. */
const streaming = (body: ReadableStream<Uint8Array>, {requestId}: Call): Response =>
  new Response(body, {
    headers: {
      "content-type": eventOperations.stream.about.answer,
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
      vary: "Origin",
      "x-request-id": requestId,
    },
  })

const audienceOf = (scope: Scope): Audience => (scope === "full" ? "full" : "demo")
