import {EventView} from "../../events/event-stream.ts"
import {Named, orNull, type Static, Time, Type} from "../../type.ts"
import {LogRecordView} from "../logs.ts"
import {InboxDetail, OutboxView} from "../messages.ts"

/** Everything that the Host knows about one inbox event. */

/** The searched interval: the Host checked every entry from `from` to `to`. */
const searched = {
  from: orNull(Time(), {description: "The oldest checked entry; null if there was none"}),
  to: orNull(Time(), {description: "The newest checked entry"}),
  isWhole: Type.Boolean({description: "False if entries that may belong here are no longer kept"}),
}

export const InboxTrail = Named("InboxTrail", {
  event: InboxDetail,
  sent: Type.Array(
    Named("TrailMessage", {...OutboxView.properties, handler: orNull(Type.String(), {description: "Its handler"})}),
    {description: "The first 200 messages that its handlers sent, in order"},
  ),
  events: Named("TrailEvents", {
    items: Type.Array(EventView, {description: "Entries of the event log about it and its messages, oldest first"}),
    ...searched,
    next: orNull(Type.String(), {description: "`cursor` of the next part; null at the end"}),
  }),
  logs: Named("TrailLogs", {
    items: Type.Array(LogRecordView, {description: "Log records about it and the sent messages, oldest first"}),
    ...searched,
  }),
})

export type Trail = Static<typeof InboxTrail>
