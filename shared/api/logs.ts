import {logLevels} from "../log.ts"
import {Type} from "../type.ts"
import {page} from "./paging.ts"
import {Named, Time} from "./schemas.ts"

/** The log as the HTTP API shows it. */

export const LogRecordView = Named(
  "LogRecordView",
  {id: Type.String(), time: Time(), level: Type.String(), message: Type.String()},
  {additionalProperties: true},
)

export const LogQuery = Type.Object({
  limit: Type.Optional(Type.Integer({minimum: 1, maximum: 1000, default: 200, description: "Records of a page"})),
  cursor: Type.Optional(Type.String({pattern: "^[0-9]{1,15}$", description: "`next` of the page before"})),
  level: Type.Optional(Type.Enum([...logLevels], {description: "The least level"})),
  plugin: Type.Optional(Type.String({description: "Only of this plugin instance, by its name"})),
  run: Type.Optional(
    Type.String({
      pattern: "^[0-9A-Za-z-]{1,64}$",
      description: "The runtimeId of an earlier run, or `previous`; `after` is ignored. This run when left out",
    }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: "^[0-9A-Za-z-]{1,64}-[0-9]{1,15}$",
      description: "`head` of an earlier answer: what came after it, oldest first; `cursor` is ignored",
    }),
  ),
})

export const LogPage = Named("LogPage", {
  ...page(LogRecordView).properties,
  head: Type.String({description: "The newest record that this answer has seen; `after` takes it"}),
  missed: Type.Union(
    [
      Type.Object({
        reason: Type.Enum(["evicted", "restarted"], {
          description: "There were more than the Host keeps, or the Host was started anew",
        }),
        records: Type.Union([Type.Integer(), Type.Null()], {description: "How many; null where nobody knows"}),
      }),
      Type.Null(),
    ],
    {description: "What is gone of the records after `after`, whatever the filter"},
  ),
})

export const LogRunView = Named("LogRunView", {
  runtimeId: Type.String(),
  startedAt: Time(),
  writtenAt: Time("When its last record was written"),
  size: Type.Integer({description: "Bytes"}),
  isCut: Type.Boolean({description: "Its first records are no longer kept"}),
})

export const LogRuns = Type.Object({items: Type.Array(LogRunView)}, {title: "LogRuns"})
