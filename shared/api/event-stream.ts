import {type EventType, eventTypes} from "../events.ts"
import {Type} from "../type.ts"
import {Named} from "./schemas.ts"

/** An event as clients get it; `data` is of the type's schema. */
export interface Envelope {
  readonly id: string
  readonly type: EventType
  readonly at: string
  readonly project: string
  readonly runtimeId: string
  /** 0 before the first generation of a run. */
  readonly generation: number
  readonly endpoint?: string
  readonly runId?: string
  readonly data: unknown
}

/** Why a cursor could not be continued exactly. */
export const streamGapReasons = ["epoch_changed", "evicted", "ahead", "malformed", "slow_consumer"] as const
export type StreamGapReason = (typeof streamGapReasons)[number]

/** What a client has missed: everything after `from`, up to and with `to`. The stream goes on after `resumeAt`. */
export interface StreamGap {
  readonly reason: StreamGapReason
  readonly from: string
  readonly to: string
  readonly resumeAt: string
}

/** The first event of every stream. */
export interface Hello {
  readonly epoch: string
  /** Id of the newest event. */
  readonly head: string
  /** Id of the oldest event that is kept; that of the next one where none is. */
  readonly oldest: string
  /** True when the stream goes on exactly where the client's cursor was. */
  readonly recovered: boolean
}

/** What could not be stored, told to live clients only: it has no id, and is in no history. */
export interface Notice {
  readonly what: "database_failing" | "database_recovered"
  /** Problem code. */
  readonly code?: string
  /** Not for a demo token. */
  readonly message?: string
  readonly since: string
}

/** How the wanted events are named, for the stream and its history. */
const filters = {
  types: Type.Optional(
    Type.String({description: "Only these types, comma-separated; message.* stands for all that begin with message."}),
  ),
  endpoint: Type.Optional(Type.String({description: "Only events of these endpoints, comma-separated"})),
}

export const StreamQuery = Type.Object({
  last_event_id: Type.Optional(
    Type.String({description: "Goes on after this event; the header Last-Event-ID wins over it"}),
  ),
  ...filters,
})

export const HistoryQuery = Type.Object({
  after: Type.Optional(Type.String({description: "Id of the last event that is known; the oldest kept when left out"})),
  limit: Type.Optional(Type.Integer({minimum: 1, maximum: 1000, default: 100, description: "Events of a page"})),
  ...filters,
})

const Id = (description: string) => Type.String({description})

/** What every event has beside its data. */
const EnvelopeView = Named("EnvelopeView", {
  id: Id("<epoch>-<offset>"),
  type: Type.String(),
  at: Type.String({format: "date-time"}),
  project: Type.String(),
  runtimeId: Type.String(),
  generation: Type.Integer(),
  endpoint: Type.Optional(Type.String()),
  runId: Type.Optional(Type.String()),
})

/** `job.started` is a `JobStartedEvent`. */
const nameOf = (type: string) =>
  `${type.replace(/(^|[._])(\w)/g, (_, __, letter: string) => letter.toUpperCase())}Event`

/** An event as clients get it, one of the types that there are. */
export const EventView = Type.Union(
  Object.entries(eventTypes).map(([type, {summary, data}]) =>
    Type.Intersect([EnvelopeView, Type.Object({type: Type.Literal(type), data})], {
      title: nameOf(type),
      description: summary,
    }),
  ),
  {title: "EventView"},
)

/** A page of the event log, oldest first. What an event's `data` marks private is left out before it gets here. */
export const HistoryView = Named("HistoryView", {
  epoch: Type.String(),
  head: Id("The newest event"),
  oldest: Id("The oldest event that is kept"),
  gap: Type.Union(
    [
      Named("StreamGap", {
        reason: Type.Enum([...streamGapReasons]),
        from: Id("The cursor that was given"),
        to: Id("Everything up to here is not on the page, or unknown"),
        resumeAt: Id("The page begins after it"),
      }),
      Type.Null(),
    ],
    {description: "Why the cursor could not be continued exactly"},
  ),
  items: Type.Array(EventView),
  next: Type.Union([Type.String(), Type.Null()], {description: "`after` of the next page; null at the newest event"}),
})
