import {type Static, Type} from "../../type.ts"
import {type Envelope, EventView} from "../event-stream.ts"
import {LogRecordView} from "../logs.ts"
import {InboxDetail, OutboxView} from "../messages.ts"
import {Named, Time} from "../schemas.ts"

/** Everything that the Host knows about one inbox event. */

export const TrailQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      pattern: "^[0-9]{1,15}$",
      description: "`events.next` of the answer before: the search of the event log goes on there",
    }),
  ),
})

/** How far a search has looked: everything from `from` to `to` was looked at. */
const searched = {
  from: Type.Union([Time(), Type.Null()], {
    description: "The oldest entry that was looked at; null where there was none",
  }),
  to: Type.Union([Time(), Type.Null()], {description: "The newest entry that was looked at"}),
  isWhole: Type.Boolean({description: "False where entries that may belong here are no longer kept"}),
}

export const InboxTrail = Named("InboxTrail", {
  event: InboxDetail,
  sent: Type.Array(
    Named("TrailMessage", {
      ...OutboxView.properties,
      handler: Type.Union([Type.String(), Type.Null()], {description: "The handler that sent it"}),
    }),
    {description: "What its handlers sent, in that order; the first 200"},
  ),
  events: Named("TrailEvents", {
    items: Type.Array(EventView, {description: "What the event log tells of it and of what was sent, oldest first"}),
    ...searched,
    next: Type.Union([Type.String(), Type.Null()], {
      description: "`cursor` of the next part; null where everything was looked at",
    }),
  }),
  logs: Named("TrailLogs", {
    items: Type.Array(LogRecordView, {description: "Log records of the event and of what was sent, oldest first"}),
    ...searched,
  }),
})

type Whole = Static<typeof InboxTrail>

/** The same as clients get it. */
export interface Trail extends Omit<Whole, "events" | "logs"> {
  readonly events: Omit<Whole["events"], "items"> & {readonly items: readonly Envelope[]}
  readonly logs: Omit<Whole["logs"], "items"> & {
    readonly items: readonly (Whole["logs"]["items"][number] & {readonly [field: string]: unknown})[]
  }
}
