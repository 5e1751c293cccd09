import {logLevels} from "../log.ts"
import {SatoriEvent} from "../sdk/satori.ts"
import {type TSchema, Type} from "../type.ts"
import {CheckpointFailure, NewestCheckpoint} from "./checkpoint.ts"
import {IngressView} from "./readiness.ts"
import {Named, Time} from "./schemas.ts"

/** The objects of the HTTP API. What is marked `private` is left out for a demo token. */

/** A page of `JobView` is a `JobPage`. */
export const page = <T extends TSchema>(item: T) => {
  const {title} = item as {title?: string}
  return Type.Object(
    {
      items: Type.Array(item),
      next: Type.Union([Type.String(), Type.Null()], {description: "The cursor of the next page"}),
    },
    title === undefined ? {} : {title: `${title.replace(/View$/, "")}Page`},
  )
}

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({minimum: 1, maximum: 500, default: 50, description: "Items of a page"})),
  cursor: Type.Optional(Type.String({pattern: "^[0-9]+$", description: "`next` of the page before"})),
})

export const Ready = Named("Ready", {ready: Type.Boolean()})

export const SessionView = Named("SessionView", {
  project: Type.String(),
  version: Type.String({description: "Version of svc"}),
  scope: Type.Enum(["demo", "full"], {description: "What the token that was shown may do"}),
})

export const Status = Named("Status", {
  project: Type.String(),
  version: Type.String({description: "Version of svc"}),
  runtime: Type.Object({name: Type.Enum(["bun", "node"]), version: Type.String()}),
  runtimeId: Type.String(),
  authority: Type.String(),
  mode: Type.Enum(["development", "production", "test"]),
  startedAt: Time(),
  uptime: Type.Number({description: "Seconds"}),
  restarts: Type.Integer({description: "Starts of this project before this one"}),
  endedCleanly: Type.Boolean({description: "False when the run before this one was killed"}),
  generation: Type.Object({number: Type.Integer(), committedAt: Time(), reason: Type.String()}),
  pin: Type.Union([Type.Object({number: Type.Integer()}), Type.Null()], {
    description: "The generation whose configuration is pinned, by a rollback or a plugin that was disabled",
  }),
  lastFailure: Type.Union(
    [
      Named("LastFailure", {
        at: Time(),
        reason: Type.String(),
        code: Type.String(),
        detail: Type.String({private: true}),
        issues: Type.Array(Type.String(), {private: true}),
      }),
      Type.Null(),
    ],
    {description: "The newest generation that was not committed"},
  ),
  ready: Type.Boolean(),
  supervisor: Type.String({description: "Who starts the Host again; none where nobody does"}),
  ingress: IngressView,
  checkpoint: NewestCheckpoint,
  checkpointFailure: CheckpointFailure,
  database: Type.Object({
    dialect: Type.Enum(["sqlite", "libsql"]),
    state: Type.String(),
    schema: Type.Union([Type.Integer(), Type.Null()]),
  }),
  workroom: Type.Object({
    store: Type.Enum(["database", "file"]),
    authority: Type.String(),
    seq: Type.Integer({description: "The last record of its Journal"}),
  }),
  epoch: Type.String({description: "Short form of the authority, in the ids of events"}),
  authorities: Type.Array(
    Type.Object({
      part: Type.Enum(["database", "event log", "workroom Journal", "job file"]),
      authority: Type.Union([Type.String(), Type.Null()], {description: "Null where there is none of it yet"}),
    }),
    {description: "What each part of the state names: all the same one, or the Host would not have started"},
  ),
})

export const EndpointView = Named("EndpointView", {
  name: Type.String(),
  owner: Type.String(),
  slot: Type.String(),
  state: Type.Enum(["idle", "connecting", "online", "reconnecting", "offline", "failed"]),
  since: Time(),
  admission: Type.Enum(["open", "closed"]),
  reason: Type.Optional(Type.String()),
  attempt: Type.Optional(Type.Integer()),
  retryAt: Type.Optional(Time()),
  error: Type.Optional(Type.String({private: true})),
  remediation: Type.Optional(Type.String()),
  lastEventAt: Type.Union([Time(), Type.Null()]),
  login: Type.Optional(Type.Unknown({private: true})),
  history: Type.Enum(["replay", "none"]),
  idempotent: Type.Boolean(),
  onUnknown: Type.Enum(["hold", "retry"]),
  rates: Type.Array(Type.Object({messages: Type.Integer(), per: Type.Integer({description: "Milliseconds"})}), {
    description: "At most so many messages begin within so long; each holds",
  }),
})

export const GenerationView = Named("GenerationView", {
  number: Type.Integer(),
  committedAt: Time(),
  reason: Type.String(),
  runtimeId: Type.String(),
  configSha256: Type.String(),
  plugins: Type.Array(Type.String()),
  current: Type.Boolean(),
  pinned: Type.Boolean(),
})

export const GenerationConfig = Named("GenerationConfig", {
  number: Type.Integer(),
  config: Type.String({description: "The configuration file, with ${NAME} unexpanded"}),
})

const MarkState = Type.Enum(["pending", "running", "handled", "failed", "dead", "held", "discarded"])

export const InboxQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(Type.Enum([...MarkState.enum], {description: "Events with a handler in this state"})),
})

export const InboxView = Named("InboxView", {
  seq: Type.Integer(),
  endpoint: Type.String(),
  type: Type.String(),
  receivedAt: Time(),
  state: MarkState,
  event: SatoriEvent,
})

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
      startedAt: Type.Union([Time(), Type.Null()]),
      endedAt: Type.Union([Time(), Type.Null()]),
      error: Type.Union([Type.String(), Type.Null()], {private: true, description: "Why it failed, or was not run"}),
    }),
  ),
  replies: Type.Array(Type.String(), {description: "Outbox ids of what its handlers sent"}),
})

/** Why an endpoint without history missed what its platform may have said. */
export const gapReasons = [
  "connection_lost",
  "channel_left",
  "endpoint_failed",
  "endpoint_closed",
  "ingress_paused",
  "not_stored",
  "host_stopped",
  "host_ended",
] as const
export type GapReason = (typeof gapReasons)[number]

export const GapView = Named("GapView", {
  seq: Type.Integer(),
  endpoint: Type.String(),
  from: Time("Up to then, all that its platform had is known to be stored"),
  to: Type.Union([Time(), Type.Null()], {
    description: "Since then, all that its platform has comes in again; null while it does not",
  }),
  reason: Type.Enum([...gapReasons]),
})

export const IngressRequest = Named(
  "IngressRequest",
  {reason: Type.Optional(Type.Enum(["operator", "release"], {default: "operator"}))},
  {additionalProperties: false},
)

export const InboxActionRequest = Named(
  "InboxActionRequest",
  {handler: Type.Optional(Type.String({minLength: 1, description: "This one of its handlers; all when left out"}))},
  {additionalProperties: false},
)

export const InboxChanged = Named("InboxChanged", {
  events: Type.Integer({description: "How many events it was done to"}),
  handlers: Type.Integer({description: "How many handlers of them"}),
})

export const RedactRequest = Named(
  "RedactRequest",
  {reason: Type.Optional(Type.String({minLength: 1, maxLength: 500, description: "Why, for the event log"}))},
  {additionalProperties: false},
)

export const Redacted = Named("Redacted", {
  erased: Type.Enum(["file", "row", "log", "remote"], {
    description:
      "Where nothing of it is left: in the database file and its log; in the row and the log, while copies may stand in unused parts of a large file; in the row alone, while a checkpoint is being made; what a remote database keeps is not known",
  }),
})

const OutboxState = Type.Enum(["queued", "sending", "sent", "failed", "dead", "unknown", "held", "discarded"])

export const OutboxQuery = Type.Object({...PageQuery.properties, state: Type.Optional(OutboxState)})

export const OutboxView = Named("OutboxView", {
  id: Type.String(),
  seq: Type.Integer(),
  kind: Type.Enum(["message", "reaction"]),
  endpoint: Type.String(),
  channel: Type.String({private: true}),
  state: OutboxState,
  attempt: Type.Integer(),
  createdAt: Time(),
  endedAt: Type.Union([Time(), Type.Null()]),
  notBefore: Type.Union([Time(), Type.Null()]),
  text: Type.String({private: true, description: "As plain text"}),
  reason: Type.Union([Type.String(), Type.Null()], {description: "Why it failed, is dead, unknown or held"}),
  error: Type.Union([Type.String(), Type.Null()], {private: true}),
})

export const OutboxChanged = Named("OutboxChanged", {
  messages: Type.Integer({description: "How many messages it was done to"}),
})

export const OutboxDetail = Named("OutboxDetail", {
  ...OutboxView.properties,
  content: Type.Unknown({private: true}),
  platformIds: Type.Array(Type.String()),
  inboxSeq: Type.Union([Type.Integer(), Type.Null()]),
  handler: Type.Union([Type.String(), Type.Null()]),
})

export const SendRequest = Named(
  "SendRequest",
  {
    endpoint: Type.String({minLength: 1}),
    channel: Type.String({minLength: 1}),
    text: Type.String({minLength: 1, maxLength: 100_000}),
  },
  {additionalProperties: false},
)

export const Accepted = Named("Accepted", {id: Type.String()})

export const RatesQuery = Type.Object({
  minutes: Type.Optional(
    Type.Integer({minimum: 1, maximum: 10_080, default: 60, description: "How far back; in 60 intervals"}),
  ),
})

export const RatesView = Named("RatesView", {
  from: Time("Begin of the first interval"),
  seconds: Type.Number({description: "Length of an interval; the last one ends now"}),
  received: Type.Array(Type.Integer(), {description: "Inbox events that were stored"}),
  sent: Type.Array(Type.Integer(), {description: "Outbox messages that were stored, whatever became of them"}),
})

export const ConfirmRequest = Named(
  "ConfirmRequest",
  {confirm: Type.Optional(Type.Boolean({description: "Do it even where nothing would start the Host again"}))},
  {additionalProperties: false},
)

export const ReloadResult = Named("ReloadResult", {
  committed: Type.Boolean({description: "False where nothing had changed"}),
  generation: Type.Integer(),
  restarting: Type.Optional(Type.Boolean({description: "The change needs a restart, which has begun"})),
})

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
