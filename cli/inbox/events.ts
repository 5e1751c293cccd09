import {Option} from "clipanion"
import type {InboxDetail} from "../../shared/api/messages.ts"
import {decision, handler, inbox} from "../kit/messages/decision.ts"
import {describeRedacted, reason} from "../kit/messages/redact.ts"
import {counted, facts, shorten} from "../kit/print.ts"
import {getCommand, listCommand, postCommand, searchFilters} from "../kit/rows.ts"

export const discard = decision(inbox, "discard", {
  description: "discard the handlers of events that wait, have failed, are dead, held or expired",
  details: "With filters, it discards waiting handlers only if --state names them.",
  examples: [
    ["One event that no longer needs an answer", "svc inbox discard 42"],
    ["All held events", "svc inbox discard --held"],
    ["What waits for an hour or more: count it first", "svc inbox discard --state pending --older 1h --dry-run"],
  ],
})

export const hold = decision(inbox, "hold", {
  description: "hold waiting events until svc inbox release or discard",
  examples: [["Everything that waits for 10 minutes or more", "svc inbox hold --state pending --older 10m"]],
})

export const release = decision(inbox, "release", {
  description: "run the held handlers of an event",
  examples: [
    ["One event", "svc inbox release 42"],
    ["All held events", "svc inbox release --held"],
  ],
})

export const retry = postCommand({
  description: "run the failed, dead and expired handlers of an event again",
  details: "Messages that a handler had already sent with sendNow are not sent again.",
  examples: [["Once the bug is fixed", "svc inbox retry 42"]],
  options: {handler, seq: Option.String({name: "seq"})},
  path: "/api/inbox/:seq/retry",
  describe: ({handlers, events}) => `retry: ${counted(handlers, "handler")} of ${counted(events, "event")}`,
})

export const redact = postCommand({
  description: "overwrite the content of an inbox event, for example a secret",
  details:
    "The Host overwrites the text, the names, the platform's payload and the errors of the handlers, also in the database file. Ids and times stay. It discards failed, dead and held handlers. To redact the answer too, use svc outbox redact.",
  examples: [["A secret was sent to the bot", "svc inbox redact 42 --reason 'a password'"]],
  options: {reason, seq: Option.String({name: "seq"})},
  path: "/api/inbox/:seq/redact",
  describe: (done, {seq}) => describeRedacted(done, `event ${seq}`),
})

export const gaps = listCommand({
  description: "list the intervals in which endpoints may have missed messages, newest first",
  details: `
    Messages sent there between from and to may be missing from the inbox. Only endpoints whose platform does not deliver again have gaps. A gap without to is still open. A planned gap is a stop or a restart that an operator requested.

    If the platform has a history, backfill says whether the Host fetched all of the gap afterwards (filled) or not (partly). After a restore, a platform that forgets acknowledged messages also has a gap, from the checkpoint on.
  `,
  examples: [["The newest five", "svc inbox gaps --limit 5"]],
  path: "/api/inbox/gaps",
  columns: {
    endpoint: ({endpoint}) => endpoint,
    from: ({from}) => from,
    to: ({to}) => to ?? "not yet",
    reason: ({reason}) => reason,
    planned: ({planned}) => (planned ? "yes" : "no"),
    backfill: ({backfill}) => backfill ?? "-",
  },
})

export const list = listCommand({
  description: "list inbox events, newest first",
  examples: [
    ["The newest five", "svc inbox list --limit 5"],
    ["Events with a failed handler", "svc inbox list --state failed"],
    ["Events of one user", "svc inbox list --user ann"],
    ["Events whose id came again with other content", "svc inbox list --repeats"],
    ["Commands that a limit refused", "svc inbox list --limited"],
  ],
  path: "/api/inbox",
  filters: {
    ...searchFilters,
    state: Option.String("--state", {
      description:
        "Only events with a handler in this state: pending, running, handled, failed, dead, held, discarded or expired",
    }),
    repeats: Option.Boolean("--repeats", {
      description: "Only events whose id came again with other content, which the Host did not store, and how often",
    }),
    limited: Option.Boolean("--limited", {description: "Only events whose command a limit refused"}),
  },
  columns: {
    seq: ({seq}) => seq,
    received: ({receivedAt}) => receivedAt,
    state: ({state}) => state,
    repeats: ({repeats}) => repeats || null,
    endpoint: ({endpoint}) => endpoint,
    user: ({event}) => event.user?.name ?? event.user?.id,
    content: ({event}) => shorten(event.button === undefined ? (event.message?.content ?? event.type) : event.type, 60),
  },
})

export const show = getCommand({
  description: "show one inbox event with its handlers and the messages they sent",
  examples: [["An event that got no answer", "svc inbox show 42"]],
  options: {seq: Option.String({name: "seq"})},
  path: "/api/inbox/:seq",
  describe: ({seq, state, endpoint, type, receivedAt, event, eventId, marks, replies}) =>
    facts([
      ["seq", String(seq)],
      ["state", state],
      ["endpoint", endpoint],
      ["type", type],
      ["received", receivedAt],
      ["event id", eventId],
      ["channel", event.channel?.id ?? ""],
      ["user", [event.user?.id, event.user?.name].filter(part => part !== undefined).join(" ")],
      ["content", event.message?.content ?? ""],
      marks.length === 0 ? ["handlers", "none"] : ["handler", marks.map(describeMark)],
      ["sent", replies.join(", ") || "nothing"],
    ]),
})

const describeMark = ({handler: name, state, attempt, error}: InboxDetail["marks"][number]): string =>
  `${name}: ${state}, attempt ${attempt}${error === null ? "" : `, ${error}`}`
