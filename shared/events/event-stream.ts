import {Named, Optional, orNull, type Static, schemaName, Type} from "../type.ts"
import {type EventData, type EventType, eventTypes} from "./events.ts"

/** An event as clients receive it. A demo token does not get the private fields of `data`. */
export type Envelope = {
  [T in EventType]: Readonly<Omit<Static<typeof EnvelopeView>, "type"> & {type: T; data: EventData<T>}>
}[EventType]

/** Why the stream could not continue exactly at a cursor. */
export const streamGapReasons = ["epoch_changed", "evicted", "ahead", "malformed", "slow_consumer"] as const
export type StreamGapReason = (typeof streamGapReasons)[number]

/** What a client missed: everything after `from`, up to and including `to`. The stream continues after `resumeAt`. */
export type StreamGap = Readonly<Static<typeof StreamGap>>

export interface Hello {
  readonly epoch: string
  readonly head: string
  /** Id of the oldest kept event, or of the next event if none is kept. */
  readonly oldest: string
  /** True if the stream continues exactly at the client's cursor. */
  readonly recovered: boolean
}

/** A message to live clients about events that could not be stored. It has no id and is in no history. */
export interface Notice {
  readonly what: "database_failing" | "database_recovered"
  /** Problem code. */
  readonly code?: string
  /** A demo token does not see it. */
  readonly message?: string
  readonly since: string
}

/** Filters of the stream and its history. */
const filters = {
  types: Optional.String({
    description: "Only these types, comma-separated; message.* matches every type that starts with message.",
  }),
  endpoint: Optional.String({description: "Only events of these endpoints, comma-separated"}),
}

export const StreamQuery = Type.Object({
  last_event_id: Optional.String({description: "Continues after this event. The header Last-Event-ID overrides it"}),
  ...filters,
})

export const HistoryQuery = Type.Object({
  after: Optional.String({description: "Id of the last known event; the oldest kept event when left out"}),
  limit: Optional.Integer({minimum: 1, maximum: 1000, default: 100, description: "Events per page"}),
  ...filters,
})

const Id = (description: string) => Type.String({description})

/** What every event has in addition to its data. */
const EnvelopeView = Named("EnvelopeView", {
  id: Id("<epoch>-<offset>"),
  type: Type.String(),
  at: Type.String({format: "date-time"}),
  project: Type.String(),
  runtimeId: Type.String(),
  /** 0 before the first generation of a run. */
  generation: Type.Integer(),
  endpoint: Optional.String(),
  runId: Optional.String(),
})

/** An event as clients receive it, of any type. */
export const EventView = Type.Unsafe<Envelope>(
  Type.Union(
    Object.entries(eventTypes).map(([type, {summary, data}]) =>
      Type.Intersect([EnvelopeView, Type.Object({type: Type.Literal(type), data})], {
        title: `${schemaName(type)}Event`,
        description: summary,
      }),
    ),
    {title: "EventView"},
  ),
)

const StreamGap = Named("StreamGap", {
  reason: Type.Enum([...streamGapReasons]),
  from: Id("The client's cursor"),
  to: Id("The last event that is missing or unknown"),
  resumeAt: Id("The page starts after this event"),
})

/** A page of the event log, oldest first. Private data was already removed from the events. */
export const HistoryView = Named("HistoryView", {
  epoch: Type.String(),
  head: Id("The newest event"),
  oldest: Id("The oldest kept event"),
  gap: orNull(StreamGap, {description: "Set if the page could not continue exactly at the cursor"}),
  items: Type.Array(Type.Unsafe<Envelope>(EventView)),
  next: orNull(Type.String(), {description: "`after` of the next page; null at the newest event"}),
})
