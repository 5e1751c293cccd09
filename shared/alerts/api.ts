import {Named, Optional, orNull, type Static, Time, Type} from "../type.ts"
import {type AlertCode, alertCodes, severities} from "./items.ts"

/** Alerts as the HTTP API shows them and webhooks receive them. A demo token does not see fields marked `private`. */

/** The name of the webhook payload's schema. */
export const alertSchema = "svc.alert/1"

const Code = Type.Enum([...alertCodes] as [AlertCode, ...AlertCode[]])

const Remedy = Named("AlertRemedy", {text: Type.String(), command: Optional.String()})

const about = {
  id: Type.String({description: "A new id each time the alert is raised"}),
  code: Code,
  severity: Type.Enum([...severities]),
  title: Type.String(),
  since: Time(),
  until: orNull(Time(), {description: "When it ended; null while it is in force"}),
  remediation: Remedy,
  Endpoint: Optional.String({description: "The endpoint, for an alert about one"}),
  Project: Type.String(),
  runtimeId: Type.String({description: "The run of the Host that last saw it"}),
  runId: Optional.String({description: "The run, for an alert about a run of a job or an agent"}),
}

export const AlertBody = Named("AlertBody", {
  ...about,
  status: Type.Enum(["firing", "resolved", "test"]),
  repeated: Type.Boolean({description: "This target already received it, and it is still in force"}),
  text: Type.String(),
})
export type AlertBody = Static<typeof AlertBody>

export const AlertMessage = Named("AlertMessage", {
  schema: Type.Literal(alertSchema),
  id: Type.String({description: "The same for each attempt; also in the header `webhook-id`"}),
  project: Type.String(),
  runtimeId: Type.String(),
  sentAt: Time(),
  alerts: Type.Array(AlertBody, {description: "At most twenty, critical ones first"}),
})
export type AlertMessage = Static<typeof AlertMessage>

export const AlertView = Named("AlertView", {
  ...about,
  text: Type.String({private: true}),
  raisedAt: Time("When the condition had lasted long enough to raise it"),
  told: Type.Array(Type.String(), {description: "The targets that received it"}),
})
export type AlertView = Static<typeof AlertView>

/** Why the Host does not send to a target now. */
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
  endpoint: Optional.String({description: "The endpoint, if the target is a channel"}),
  waiting: orNull(Type.Enum([...alertWaits]), {description: "Why alerts to this target wait"}),
  due: Type.Integer({description: "How many alerts are due for it"}),
  lastSentAt: orNull(Time()),
  lastFailure: orNull(Failure, {description: "Null after the next successful message"}),
  failures: Type.Integer({description: "Failed attempts since the Host started"}),
})
export type AlertTargetView = Static<typeof AlertTargetView>

export const AlertsView = Named("AlertsView", {
  configured: Type.Boolean({description: "True if there is a target or a heartbeat"}),
  checkedAt: orNull(Time("The Host's last check")),
  items: Type.Array(AlertView, {description: "Alerts in force, critical ones first; then those of the last day"}),
  targets: Type.Array(AlertTargetView),
  heartbeat: orNull(
    Named("HeartbeatView", {
      lastSentAt: orNull(Time()),
      stopped: orNull(Type.Enum(["not_ready", "rows"]), {
        description: "Why the Host does not call it: the Host is not ready, or its database stores no rows",
      }),
      lastFailure: orNull(Failure),
    }),
  ),
})
export type AlertsView = Static<typeof AlertsView>

export const AlertTestResult = Named("AlertTestResult", {
  items: Type.Array(
    Named("AlertTest", {
      target: Type.String(),
      ok: Type.Boolean(),
      detail: Type.String({description: "How the target accepted it, or why it did not"}),
    }),
  ),
})
export type AlertTestResult = Static<typeof AlertTestResult>
