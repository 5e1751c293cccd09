import {endpointStates} from "../endpoint-states.ts"
import {Type} from "../type.ts"
import {Named, Time} from "./schemas.ts"

/** Endpoints, and what they missed, as the HTTP API shows them. */

export const EndpointView = Named("EndpointView", {
  name: Type.String(),
  owner: Type.String(),
  slot: Type.String(),
  required: Type.Boolean({
    description: "Listed in http.readiness.endpoints. Required endpoints that are not online come first in lists",
  }),
  state: Type.Enum([...endpointStates]),
  since: Time(),
  awaySince: Type.Optional(
    Time("Since when it has had no connection in this run, however many were tried; absent while it is online"),
  ),
  admission: Type.Enum(["open", "closed"]),
  reason: Type.Optional(Type.String()),
  attempt: Type.Optional(Type.Integer()),
  retryAt: Type.Optional(Time()),
  error: Type.Optional(Type.String({private: true})),
  remediation: Type.Optional(Type.String()),
  lastEventAt: Type.Union([Time(), Type.Null()]),
  login: Type.Optional(Type.Unknown({private: true})),
  history: Type.Enum(["replay", "none", "inside"]),
  idempotent: Type.Boolean(),
  cursorAt: Type.Union([Time(), Type.Null()], {
    description: "When the platform's cursor was stored last; null for none",
  }),
  dropped: Type.Integer({
    description: "Events that the platform delivered again so late that nobody can tell whether they were handled",
  }),
  features: Type.Array(Type.String(), {
    description:
      "What it can do beside sending: acts such as edit and typing, and methods of Satori such as guild.member.mute",
  }),
  limits: Type.Object({text: Type.Optional(Type.Integer({description: "UTF-16 code units of one message"}))}),
  onUnknown: Type.Enum(["hold", "retry"]),
  rates: Type.Array(Type.Object({messages: Type.Integer(), per: Type.Integer({description: "Milliseconds"})}), {
    description: "At most so many messages begin within so long; each holds",
  }),
})

export const EndpointCheck = Named("EndpointCheck", {
  name: Type.String(),
  ok: Type.Boolean({description: "Nothing was found that keeps the account from working"}),
  milliseconds: Type.Integer(),
  findings: Type.Array(
    Type.Object({
      what: Type.String({description: "What was looked at, such as credentials or a scope"}),
      ok: Type.Boolean(),
      detail: Type.Optional(Type.String({private: true, description: "What the platform said"})),
      remediation: Type.Optional(Type.String({description: "What to do about it"})),
    }),
  ),
})

/** Why an endpoint missed what its platform may have said. */
export const gapReasons = [
  "connection_lost",
  "channel_left",
  "endpoint_failed",
  "endpoint_closed",
  "ingress_paused",
  "not_stored",
  "host_stopped",
  "host_failed",
  "host_ended",
] as const

export type GapReason = (typeof gapReasons)[number]

/** Does somebody know of such a gap beforehand? So it is where an operator stopped the Host, or had it restart. */
export const isPlanned = (reason: GapReason): boolean => reason === "host_stopped"

/** How much of a gap was fetched from the history of its platform. */
export const gapFillings = ["filled", "partly"] as const

export const backfillOfGap =
  "How much of what was missed in known channels was fetched from the platform's history; null where it was not asked"

export const GapView = Named("GapView", {
  seq: Type.Integer(),
  endpoint: Type.String(),
  from: Time("Up to then, all that its platform had is known to be stored"),
  to: Type.Union([Time(), Type.Null()], {
    description: "Since then, all that its platform has comes in again; null while it does not",
  }),
  reason: Type.Enum([...gapReasons]),
  planned: Type.Boolean({description: "An operator stopped the Host, or had it restart: reason host_stopped"}),
  backfill: Type.Union([Type.Enum([...gapFillings]), Type.Null()], {description: backfillOfGap}),
})
