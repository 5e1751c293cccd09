import {Type} from "../../type.ts"
import {Named, orNull, Time} from "../schemas.ts"

/** What the Host did over time, as the HTTP API shows it. */

export const MetricHistoryQuery = Type.Object({
  from: Type.Optional(Time("Begin; an hour before the end when left out")),
  to: Type.Optional(Time("End; now when left out")),
})

const Series = (description: string) => Type.Array(orNull(Type.Number()), {description})

export const MetricHistoryView = Named("MetricHistoryView", {
  from: Time("Begin of the first interval"),
  seconds: Type.Integer({description: "Length of an interval: at most 240 of them"}),
  recordedSince: orNull(Time("The oldest that is kept")),
  ran: Series("Share of the interval in which the Host ran, from 0 to 1; null in all series where nothing is recorded"),
  starts: Series("Starts of the Host"),
  received: Series("Inbox events that were stored"),
  handled: Series("Runs of handlers that did their work"),
  failed: Series("Runs of handlers that failed"),
  sent: Series("Messages that their platform took"),
  unsent: Series("Messages that ended failed, dead or unknown"),
  handlerMedian: Series("Median time of a handler, in seconds, read off a histogram; null where none ran"),
  handlerSlow: Series("99th percentile of the same"),
  commitSlow: Series("99th percentile of the time of a group commit, in seconds"),
  delay: Series("How late the event loop came to a timer at the worst, in milliseconds"),
  bytes: Series("What the database took on its disk at the end, in bytes; null for a remote one"),
  memory: Series("Resident memory of the Host at the end, in bytes"),
  endpoints: Type.Array(
    Named("EndpointHistoryView", {
      name: Type.String(),
      online: Series("Share of the recorded time in which it was online"),
      otherwise: Type.Array(orNull(Type.String()), {
        description: "The state that it was in longest when it was not online; null where it always was",
      }),
    }),
  ),
})
