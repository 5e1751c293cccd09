import {logLevels} from "../log.ts"
import {Named, Optional, orNull, type Static, Time, Type} from "../type.ts"
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

export const LogQuery = Type.Object({
  limit: Optional.Integer({minimum: 1, maximum: 1000, default: 200, description: "Records per page"}),
  cursor: Optional.String({pattern: "^[0-9]{1,15}$", description: "`next` of the previous page"}),
  level: Optional.Enum([...logLevels], {description: "The lowest level to show"}),
  plugin: Optional.String({description: "Only records of this plugin instance, by its name"}),
  run: Optional.String({
    pattern: "^[0-9A-Za-z-]{1,64}$",
    description:
      "The runtimeId of an earlier run, or `previous`, and then `after` is ignored. The current run when left out",
  }),
  after: Optional.String({
    pattern: "^[0-9A-Za-z-]{1,64}-[0-9]{1,15}$",
    description: "`head` of an earlier response. Returns the records after it, oldest first, and ignores `cursor`",
  }),
})

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

export const LogRuns = Type.Object({items: Type.Array(LogRunView)}, {title: "LogRuns"})
