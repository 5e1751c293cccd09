import {Named, orNull, Time} from "../api/schemas.ts"
import {type Static, Type} from "../type.ts"
import {type AlertCode, alertCodes, severities} from "./items.ts"

/** Alerts as the HTTP API shows them, and as webhooks get them. What is marked `private` is left out for a demo token. */

/** The name of the shape that webhooks get. */
export const alertSchema = "svc.alert/1"

const Code = Type.Enum([...alertCodes] as [AlertCode, ...AlertCode[]])

const Remedy = Named("AlertRemedy", {
  text: Type.String(),
  command: Type.Optional(Type.String()),
})

const about = {
  id: Type.String({description: "Another one each time that the alert is raised"}),
  code: Code,
  severity: Type.Enum([...severities]),
  title: Type.String(),
  since: Time(),
  until: orNull(Time(), {description: "Null while it is in force"}),
  remediation: Remedy,
  Endpoint: Type.Optional(Type.String({description: "Of an alert about an endpoint"})),
  Project: Type.String(),
  runtimeId: Type.String({description: "The run of the Host that saw it last"}),
  runId: Type.Optional(Type.String({description: "Of an alert about a run of a job or an agent"})),
}

/** One alert in a message to a target. */
export const AlertBody = Named("AlertBody", {
  ...about,
  status: Type.Enum(["firing", "resolved", "test"]),
  repeated: Type.Boolean({description: "This target was told of it before, and it goes on"}),
  text: Type.String(),
})
export type AlertBody = Static<typeof AlertBody>

/** What a webhook gets as JSON. */
export const AlertMessage = Named("AlertMessage", {
  schema: Type.Literal(alertSchema),
  id: Type.String({description: "The same for each attempt; also in `webhook-id`"}),
  project: Type.String(),
  runtimeId: Type.String(),
  sentAt: Time(),
  alerts: Type.Array(AlertBody, {description: "Twenty at most, critical ones first"}),
})
export type AlertMessage = Static<typeof AlertMessage>

export const AlertView = Named("AlertView", {
  ...about,
  text: Type.String({private: true}),
  raisedAt: Time("When it had lasted long enough"),
  told: Type.Array(Type.String(), {description: "The targets that were told of it"}),
})
export type AlertView = Static<typeof AlertView>

/** Why a target gets nothing now. */
export const alertWaits = [
  "quiet_hours",
  "ingress_paused",
  "database_failing",
  "endpoint_offline",
  "endpoint_unknown",
] as const
export type AlertWait = (typeof alertWaits)[number]

const Failure = Named("AlertSendFailure", {at: Time(), error: Type.String({private: true})})

export const AlertTargetView = Named("AlertTargetView", {
  name: Type.String(),
  kind: Type.Enum(["channel", "webhook", "email"]),
  endpoint: Type.Optional(Type.String({description: "Of a channel"})),
  waiting: orNull(Type.Enum([...alertWaits]), {description: "Why alerts wait for it"}),
  due: Type.Integer({description: "How many alerts it is to be told of"}),
  lastSentAt: orNull(Time()),
  lastFailure: orNull(Failure, {description: "Null once a message was sent after it"}),
  failures: Type.Integer({description: "Attempts that failed since the Host started"}),
})
export type AlertTargetView = Static<typeof AlertTargetView>

export const AlertsView = Named("AlertsView", {
  configured: Type.Boolean({description: "Is there a target or a heartbeat?"}),
  checkedAt: orNull(Time("When the Host looked last")),
  items: Type.Array(AlertView, {description: "In force, critical ones first; then what ended within a day"}),
  targets: Type.Array(AlertTargetView),
  heartbeat: orNull(
    Named("HeartbeatView", {
      lastSentAt: orNull(Time()),
      stopped: orNull(Type.Enum(["not_ready", "rows"]), {
        description: "Why it is not called: the Host is not ready, or its database takes no rows",
      }),
      lastFailure: orNull(Failure),
    }),
  ),
})
export type AlertsView = Static<typeof AlertsView>

export const AlertTestRequest = Named(
  "AlertTestRequest",
  {target: Type.Optional(Type.String({minLength: 1, description: "Its name; every target when left out"}))},
  {additionalProperties: false},
)

export const AlertTestResult = Named("AlertTestResult", {
  items: Type.Array(
    Named("AlertTest", {
      target: Type.String(),
      ok: Type.Boolean(),
      detail: Type.String({description: "How it was taken, or why not"}),
    }),
  ),
})
export type AlertTestResult = Static<typeof AlertTestResult>
