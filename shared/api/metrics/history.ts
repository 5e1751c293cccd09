import {Named, orNull, type Static, Time, Type} from "../../type.ts"

/** The Host's metrics over time, as the HTTP API shows them. */

const Series = (description: string) => Type.Array(orNull(Type.Number()), {description})

export const MetricHistoryView = Named("MetricHistoryView", {
  from: Time("Start of the first interval"),
  seconds: Type.Integer({description: "Length of an interval. There are at most 240 intervals"}),
  recordedSince: orNull(Time("The oldest kept record")),
  ran: Series("Share of the interval in which the Host ran, 0 to 1. Except starts, series are null without a record"),
  starts: Type.Array(Type.Integer(), {description: "Starts of the Host; 0 where nothing is recorded"}),
  newestStarts: Type.Array(Time(), {description: "The newest starts, at most five, oldest first"}),
  received: Series("Stored inbox events"),
  handled: Series("Handler runs that succeeded"),
  failed: Series("Handler runs that failed"),
  sent: Series("Messages that the platform accepted"),
  unsent: Series("Messages that ended failed, dead or unknown"),
  handlerMedian: Series("Median duration of a handler run in seconds, from a histogram; null if none ran"),
  handlerSlow: Series("99th percentile of the duration of a handler run, in seconds"),
  commitSlow: Series("99th percentile of the duration of a group commit, in seconds"),
  delay: Series("The longest delay of a timer by the event loop, in milliseconds"),
  bytes: Series("Disk space of the database at the end, in bytes; null for a remote database"),
  memory: Series("Resident memory of the Host at the end, in bytes"),
  endpoints: Type.Array(
    Named("EndpointHistoryView", {
      name: Type.String(),
      online: Series("Share of the recorded time that it was online"),
      otherwise: Type.Array(orNull(Type.String()), {description: "Its longest other state; null if always online"}),
    }),
  ),
})
export type MetricHistoryView = Static<typeof MetricHistoryView>
