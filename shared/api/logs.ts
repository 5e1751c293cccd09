import {Named, orNull, type Static, Time, Type} from "../type.ts"
import {page} from "./pages.ts"

/** The log as the HTTP API shows it. */

const recordView = Named(
  "LogRecordView",
  {id: Type.String(), time: Time(), level: Type.String(), message: Type.String()},
  {additionalProperties: true},
)

/** A record also has the fields of its caller. */
export type LogRecordView = Readonly<Static<typeof recordView>> & {readonly [field: string]: unknown}
export const LogRecordView = Type.Unsafe<LogRecordView>(recordView)

export const LogPage = Named("LogPage", {
  ...page(LogRecordView).properties,
  head: Type.String({description: "The newest record of this response, to use as `after`"}),
  missed: orNull(
    Type.Object({
      reason: Type.Enum(["evicted", "restarted"], {
        description: "evicted: there were more records than the Host keeps. restarted: the Host restarted",
      }),
      records: orNull(Type.Integer(), {description: "How many; null if unknown"}),
    }),
    {description: "Lost records after `after`, regardless of the filter"},
  ),
})

export const LogRunView = Named("LogRunView", {
  runtimeId: Type.String(),
  startedAt: Time(),
  writtenAt: Time("Time of its last record"),
  size: Type.Integer({description: "Bytes"}),
  isCut: Type.Boolean({description: "Its first records are no longer kept"}),
})
