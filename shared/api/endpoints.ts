import {endpointStates} from "../endpoint-states.ts"
import type {Login} from "../sdk/content/satori.ts"
import {Named, Optional, orNull, type Static, Time, Type} from "../type.ts"

/** Endpoints and their gaps, as the HTTP API shows them. */

export const EndpointView = Named("EndpointView", {
  name: Type.String(),
  owner: Type.String(),
  slot: Type.String(),
  required: Type.Boolean({
    description:
      "True if http.readiness.endpoints lists it. Required endpoints that are not online come first in lists",
  }),
  state: Type.Enum([...endpointStates]),
  since: Time(),
  awaySince: Type.Optional(Time("Since when it has no connection, over attempts and restarts; absent while online")),
  admission: Type.Enum(["open", "closed"]),
  reason: Optional.String(),
  attempt: Optional.Integer(),
  retryAt: Type.Optional(Time()),
  error: Optional.String({private: true}),
  remediation: Optional.String(),
  unreadable: Optional.Array(
    Type.Object({
      place: Type.String({private: true}),
      why: Type.String({private: true}),
      remediation: Type.String({private: true}),
    }),
    {description: "Places, such as encrypted rooms, that the bot is in or should be in and cannot read; at most 50"},
  ),
  lastEventAt: orNull(Time(), {description: "When its last event was stored, in whichever run"}),
  lastSentAt: orNull(Time(), {description: "When its platform last accepted a message, in whichever run"}),
  login: Type.Optional(Type.Unsafe<Login>({private: true})),
  history: Type.Enum(["replay", "none", "inside"]),
  idempotent: Type.Boolean(),
  cursorAt: orNull(Time(), {description: "When the platform's cursor was last stored; null if it has none"}),
  dropped: Type.Integer({
    description: "Events redelivered so late that the Host cannot tell whether they were handled, so it dropped them",
  }),
  features: Type.Array(Type.String(), {
    description:
      "What it can do in addition to sending: acts such as edit and typing, and Satori methods such as guild.member.mute",
  }),
  webhook: Optional.String({description: "For a plugin's webhook, which only receives: its path below http.base"}),
  limits: Type.Object({text: Optional.Integer({description: "UTF-16 code units of one message"})}),
  onUnknown: Type.Enum(["hold", "retry"]),
  rates: Type.Array(Type.Object({messages: Type.Integer(), per: Type.Integer({description: "Milliseconds"})}), {
    description: "Rate limits: at most `messages` start within `per`. Each limit applies",
  }),
})
export type EndpointView = Static<typeof EndpointView>

export const EndpointCheck = Named("EndpointCheck", {
  name: Type.String(),
  ok: Type.Boolean({description: "True if no finding prevents the account from working"}),
  milliseconds: Type.Integer(),
  findings: Type.Array(
    Type.Object({
      what: Type.String({description: "What the adapter checked, such as credentials or a scope"}),
      ok: Type.Boolean(),
      detail: Optional.String({private: true, description: "The platform's response"}),
      remediation: Optional.String({description: "What to do about it"}),
    }),
  ),
})

/** Why an endpoint may have missed messages. */
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

/** Returns whether a gap was planned: an operator stopped or restarted the Host. */
export const isPlanned = (reason: GapReason): boolean => reason === "host_stopped"

/** How much of a gap the Host fetched from the platform's history. */
export const gapFillings = ["filled", "partly"] as const

export const backfillOfGap =
  "How much of the missed messages in known channels the Host fetched from the platform's history; null if it did not ask"

export const GapView = Named("GapView", {
  seq: Type.Integer(),
  endpoint: Type.String(),
  from: Time("The last moment at which the Host is known to have stored everything from the platform"),
  to: orNull(Time(), {description: "From when the Host receives everything again; null while the gap is open"}),
  reason: Type.Enum([...gapReasons]),
  planned: Type.Boolean({description: "An operator stopped or restarted the Host: reason host_stopped"}),
  backfill: orNull(Type.Enum([...gapFillings]), {description: backfillOfGap}),
})
export type GapView = Static<typeof GapView>
