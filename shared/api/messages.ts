import {durationPattern} from "../duration.ts"
import {SatoriEvent} from "../sdk/content/satori.ts"
import {outboxStates} from "../sdk/plugin/outbox-state.ts"
import {Named, NamedClosed, Optional, orNull, type Static, Time, Type} from "../type.ts"
import {inboxGroups, outboxGroups} from "./message-lists.ts"
import {PageQuery} from "./pages.ts"

/** Inbox and outbox as the HTTP API shows them. A demo token does not see fields marked `private`. */

const MarkState = Type.Enum(["pending", "running", "handled", "failed", "dead", "held", "discarded", "expired"])

const older = Optional.String({
  pattern: durationPattern,
  description: "Only older rows, such as 10m: since an event's time at its platform, since a timer was due",
})

/** Filters of message lists. A demo token cannot filter by what it does not see. */
const filters = {
  endpoint: Optional.String({minLength: 1, description: "Only messages of this endpoint"}),
  channel: Optional.String({minLength: 1, private: true, description: "Only messages of this channel, by its id"}),
  user: Optional.String({minLength: 1, private: true, description: "Only messages of this user"}),
  plugin: Optional.String({minLength: 1, description: "Only messages that a handler of this plugin handled or sent"}),
  command: Optional.String({minLength: 1, description: "Only messages that this command handled or sent"}),
  older,
  text: Optional.String({minLength: 1, maxLength: 200, private: true, description: "Only messages with this text"}),
  from: Type.Optional(Time("Only messages at or after this time")),
  to: Type.Optional(Time("Only messages before this time")),
}

export const InboxQuery = Type.Object({
  ...PageQuery.properties,
  ...filters,
  state: Optional.Enum([...MarkState.enum, ...(Object.keys(inboxGroups) as (keyof typeof inboxGroups)[])], {
    description: "Events with a handler in this state. open: pending or running; aside: failed, dead or held",
  }),
  repeats: Optional.Boolean({description: "True for the events whose id came again with other content"}),
  limited: Optional.Boolean({private: true, description: "True for the events whose command a limit refused"}),
})

export const InboxView = Named("InboxView", {
  seq: Type.Integer(),
  endpoint: Type.String(),
  type: Type.String(),
  receivedAt: Time(),
  state: MarkState,
  repeats: Type.Integer({description: "How often its id came again with other content, which was not stored"}),
  event: SatoriEvent,
})
export type InboxView = Static<typeof InboxView>

export const InboxDetail = Named("InboxDetail", {
  ...InboxView.properties,
  eventId: Type.String(),
  conversation: Type.String({private: true}),
  raw: Type.Optional(Type.Unknown({private: true})),
  marks: Type.Array(
    Named("MarkView", {
      handler: Type.String(),
      state: MarkState,
      attempt: Type.Integer(),
      startedAt: orNull(Time()),
      endedAt: orNull(Time()),
      error: orNull(Type.String(), {private: true, description: "Why it failed or did not run"}),
    }),
  ),
  replies: Type.Array(Type.String(), {description: "Outbox ids of the messages that its handlers sent"}),
})
export type InboxDetail = Static<typeof InboxDetail>

/** Filters of waiting timers, and of agents' runs that are queued or wait. */
const waiting = {
  ...PageQuery.properties,
  endpoint: Optional.String({minLength: 1, description: "Only for this endpoint"}),
  channel: Optional.String({minLength: 1, description: "Only for this channel, by its id"}),
  user: Optional.String({minLength: 1, description: "Only for this user, by the id"}),
  plugin: Optional.String({minLength: 1, description: "Only of this plugin"}),
  older,
}
export const WaitingTimers = Type.Object(waiting)
export const WaitingRuns = Type.Object({
  ...waiting,
  agent: Optional.String({minLength: 1, description: "Only of this agent"}),
})

const dryRun = Optional.Boolean({default: false, description: "Only count what would change"})

export const BulkRequest = NamedClosed("BulkRequest", {
  action: Type.Enum(["retry", "release", "discard", "hold"]),
  dryRun,
})

export const CutRequest = NamedClosed("CutRequest", {action: Type.Enum(["discard", "hold"]), dryRun})

export const BulkChanged = Named("BulkChanged", {
  count: Type.Integer({description: "How many rows changed"}),
  sample: Type.Array(Type.Object({id: Type.String(), at: Time(), who: orNull(Type.String()), text: Type.String()}), {
    description: "With dryRun, the newest of them",
  }),
  oldest: orNull(Time(), {description: "With dryRun, the earliest time of these rows, each as a sample has it"}),
  next: orNull(Type.String(), {description: "`cursor` of the next part; null at the end"}),
  lookedTo: orNull(Time(), {description: "The time of the oldest row checked so far"}),
})
export type BulkChanged = Static<typeof BulkChanged>

const OutboxState = Type.Enum([...outboxStates])

export const OutboxQuery = Type.Object({
  ...PageQuery.properties,
  ...filters,
  state: Optional.Enum([...outboxStates, ...(Object.keys(outboxGroups) as (keyof typeof outboxGroups)[])], {
    description: "Messages in this state. open: queued or sending; aside: failed, dead, unknown or held",
  }),
  lasting: Optional.Boolean({description: "True for the messages and edits with buttons that do not expire"}),
})

export const OutboxView = Named("OutboxView", {
  id: Type.String(),
  seq: Type.Integer(),
  kind: Type.Enum(["message", "reaction", "unreact", "edit", "delete", "call"]),
  endpoint: Type.String(),
  channel: Type.String({private: true}),
  state: OutboxState,
  attempt: Type.Integer(),
  createdAt: Time(),
  endedAt: orNull(Time()),
  notBefore: orNull(Time()),
  text: Type.String({private: true, description: "The content as plain text"}),
  reason: orNull(Type.String(), {description: "Why it failed, is dead, unknown, held or expired"}),
  error: orNull(Type.String(), {private: true}),
})
export type OutboxView = Static<typeof OutboxView>

export const OutboxDetail = Named("OutboxDetail", {
  ...OutboxView.properties,
  content: Type.Unknown({private: true}),
  platformIds: Type.Array(Type.String()),
  inboxSeq: orNull(Type.Integer()),
  handler: orNull(Type.String()),
  notAfter: orNull(Time(), {description: "Its own age limit"}),
  important: Type.Boolean({description: "Does it alert when it expires?"}),
})
export type OutboxDetail = Static<typeof OutboxDetail>

export const RedactRequest = NamedClosed("RedactRequest", {
  reason: Optional.String({minLength: 1, maxLength: 500, description: "The reason, for the event log"}),
})

export const Redacted = Named("Redacted", {
  erased: Type.Enum(["file", "row", "log", "remote"], {
    description:
      "Where the content is erased. file: in the database file and its log. log: in the row and the log; unused parts of a large file may still contain copies. row: only in the row, because a checkpoint is being made. remote: the Host does not know what a remote database keeps",
  }),
})
export type Redacted = Static<typeof Redacted>

export const Accepted = Named("Accepted", {id: Type.String()})

export const RatesView = Named("RatesView", {
  from: Time("Start of the first interval"),
  seconds: Type.Number({description: "Length of an interval; the last one ends now"}),
  received: Type.Array(Type.Integer(), {description: "Stored inbox events"}),
  sent: Type.Array(Type.Integer(), {description: "Stored outbox messages, regardless of their outcome"}),
})
export type RatesView = Static<typeof RatesView>
