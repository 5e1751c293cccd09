import {endpointStates} from "../../endpoint-states.ts"
import {Named, NamedClosed, Optional, Time, Type} from "../../type.ts"
import {EndpointCheck, EndpointView, GapView} from "../endpoints.ts"
import {
  Accepted,
  BulkChanged,
  BulkRequest,
  InboxDetail,
  InboxQuery,
  InboxView,
  OutboxDetail,
  OutboxQuery,
  OutboxView,
  RatesView,
  Redacted,
  RedactRequest,
} from "../messages.ts"
import {PageQuery, page, searchedPage} from "../pages.ts"
import {InboxTrail} from "../trail/trail.ts"
import {PairingView} from "../users/pairings.ts"
import {MayAnswer, MayQuery, Permissions} from "../users/permissions.ts"
import {ForgetRequest, Forgotten, UserQuery} from "../users/users.ts"
import {get, post} from "./operation.ts"

/** The operations on messages, endpoints and users. */

const onEvent = <const N extends string>(action: N, summary: string) =>
  post(`/api/inbox/:seq/${action}`, "operator", {
    summary,
    body: NamedClosed("InboxActionRequest", {
      handler: Optional.String({minLength: 1, description: "The handler; all handlers of the event when left out"}),
    }),
    answer: Named("InboxChanged", {
      events: Type.Integer({description: "How many events changed"}),
      handlers: Type.Integer({description: "How many of their handlers changed"}),
    }),
    problems: ["inbox_unknown", "inbox_state"],
  })

export const inboxOperations = {
  list: get("/api/inbox", "demo", {
    summary: "Inbox events, newest first; a filter searches some thousands at a time, and the answer says how far",
    query: InboxQuery,
    answer: searchedPage(InboxView),
  }),
  gaps: get("/api/inbox/gaps", "demo", {
    summary: "Gaps: when endpoints without history may have missed messages, newest first",
    query: PageQuery,
    answer: page(GapView),
  }),
  show: get("/api/inbox/:seq", "demo", {
    summary: "One inbox event with the marks of its handlers",
    answer: InboxDetail,
    problems: ["inbox_unknown"],
  }),
  trail: get("/api/inbox/:seq/trail", "viewer", {
    summary: "One inbox event from its arrival to its answers: handlers, messages, events and log records",
    query: Type.Object({
      cursor: Optional.String({
        pattern: "^[0-9]{1,15}$",
        description: "`events.next` of the previous response. The search of the event log continues there",
      }),
    }),
    answer: InboxTrail,
    problems: ["inbox_unknown"],
  }),
  retry: onEvent("retry", "Retry the failed, dead and expired handlers of an event"),
  release: onEvent("release", "Run the held handlers of an event, or with the number `held` of all events"),
  discard: onEvent(
    "discard",
    "Discard the handlers of an event that do not run and have not handled it, or with the number `held` all held ones",
  ),
  hold: onEvent("hold", "Hold the waiting handlers of an event, of which none runs, until somebody releases them"),
  redact: post("/api/inbox/:seq/redact", "operator", {
    summary: "Redact an event's content, in the database file too",
    body: RedactRequest,
    answer: Redacted,
    problems: ["inbox_unknown", "inbox_state"],
  }),
  bulk: post("/api/inbox/bulk", "operator", {
    summary:
      "Retry, release, discard or hold the handlers of all events that match the filters, a page at a time; discards waiting ones only with `state=pending` or `open`",
    query: InboxQuery,
    body: BulkRequest,
    answer: BulkChanged,
  }),
}

const onMessage = <const N extends string>(action: N, summary: string) =>
  post(`/api/outbox/:id/${action}`, "operator", {
    summary,
    answer: Named("OutboxChanged", {messages: Type.Integer({description: "How many messages changed"})}),
    problems: ["outbox_unknown", "outbox_state"],
  })

export const outboxOperations = {
  list: get("/api/outbox", "demo", {
    summary: "Outbox messages, newest first; a filter searches some thousands at a time, and the answer says how far",
    query: OutboxQuery,
    answer: searchedPage(OutboxView),
  }),
  show: get("/api/outbox/:id", "demo", {
    summary: "One outbox message, by its id",
    answer: OutboxDetail,
    problems: ["outbox_unknown"],
  }),
  send: post("/api/outbox", "operator", {
    summary: "Send a message; it is durable once this returns",
    body: NamedClosed("SendRequest", {
      endpoint: Type.String({minLength: 1}),
      channel: Type.String({minLength: 1}),
      text: Type.String({minLength: 1, maxLength: 100_000}),
      notAfter: Type.Optional(Time("The last moment to send it; after that it expires")),
      important: Optional.Boolean({description: "Alert if it expires"}),
    }),
    answer: Accepted,
    status: 202,
    problems: ["endpoint_unknown", "ingress_paused"],
  }),
  retry: onMessage("retry", "Retry a failed, dead, unknown or expired message"),
  release: onMessage("release", "Send a held or unknown message, or with the id `held` all of them"),
  discard: onMessage("discard", "Discard a message that was not sent, or with the id `held` all held and unknown ones"),
  hold: onMessage("hold", "Hold a scheduled or queued message until somebody releases it"),
  redact: post("/api/outbox/:id/redact", "operator", {
    summary:
      "Redact a message's content, in the database file too, and delete its files unless another message needs them",
    body: RedactRequest,
    answer: Redacted,
    problems: ["outbox_unknown", "outbox_state"],
  }),
  bulk: post("/api/outbox/bulk", "operator", {
    summary: "Retry, release, discard or hold all messages that match the filters, a page at a time",
    query: OutboxQuery,
    body: BulkRequest,
    answer: BulkChanged,
  }),
}

export const rateOperations = {
  rates: get("/api/messages/rates", "demo", {
    summary: "Messages received and sent recently, counted by interval",
    query: Type.Object({
      minutes: Optional.Integer({
        minimum: 1,
        maximum: 10_080,
        default: 60,
        description: "How many minutes back, divided into 60 intervals",
      }),
    }),
    answer: RatesView,
  }),
}

export const endpointOperations = {
  list: get("/api/endpoints", "demo", {
    summary: "The endpoints of the running generation; required ones that are not online first",
    query: Type.Object({
      ...PageQuery.properties,
      state: Optional.Enum([...endpointStates], {description: "Only endpoints in this state"}),
    }),
    answer: page(EndpointView),
  }),
  check: post("/api/endpoints/:name/check", "operator", {
    summary: "Ask an endpoint's platform whether its account can work: credentials, scopes, permissions",
    answer: EndpointCheck,
    problems: ["endpoint_unknown", "unsupported"],
  }),
  reconnect: post("/api/endpoints/:name/reconnect", "operator", {
    summary: "Close an endpoint's connection and open a new one; a failed endpoint connects again too",
    answer: Type.Object({name: Type.String()}),
    status: 202,
    problems: ["endpoint_unknown"],
  }),
}

export const userData = "application/x-ndjson"

export const userOperations = {
  export: get("/api/users/export", "owner", {
    summary: "Everything that is stored about a user, one line per row; the last line has the counts",
    query: UserQuery,
    answer: userData,
    stream: true,
  }),
  forget: post("/api/users/forget", "owner", {
    summary: "Forget a user: redact the messages, and cancel what is pending for the user",
    body: ForgetRequest,
    answer: Forgotten,
  }),
}

export const pairingOperations = {
  list: get("/api/users/pairings", "viewer", {
    summary: "The open codes of users whom agents do not answer yet, oldest first",
    answer: Named("Pairings", {items: Type.Array(PairingView)}),
  }),
  approve: post("/api/users/approve", "operator", {
    summary: "Approve a user by a code, so that agents answer direct messages; a repetition changes nothing",
    body: NamedClosed("PairingApproval", {code: Type.String({minLength: 1, maxLength: 100})}),
    answer: PairingView,
    problems: ["pairing_unknown"],
  }),
}

export const permissionOperations = {
  // The rules name users.
  rules: get("/api/permissions", "viewer", {
    summary: "The permission rules, their places in the file, and what each permission allows",
    answer: Permissions,
  }),
  may: get("/api/permissions/user", "viewer", {
    summary: "What a user may do at an endpoint, in a channel or alone with the bot, and the rule that decides",
    query: MayQuery,
    answer: MayAnswer,
    problems: ["endpoint_unknown"],
  }),
}
