import {Option} from "clipanion"
import {decision, outbox} from "../kit/messages/decision.ts"
import {describeRedacted, reason} from "../kit/messages/redact.ts"
import {counted, facts, shorten} from "../kit/print.ts"
import {getCommand, listCommand, postCommand, searchFilters} from "../kit/rows.ts"

export const discard = decision(outbox, "discard", {
  description: "discard a message that was not sent",
  details: "The message stays in the list as discarded.",
  examples: [
    ["One message", "svc outbox discard 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All held or unknown messages", "svc outbox discard --held"],
    ["What is queued for an hour or more: count it first", "svc outbox discard --state queued --older 1h --dry-run"],
  ],
})

export const hold = decision(outbox, "hold", {
  description: "hold queued or scheduled messages until svc outbox release or discard",
  examples: [["Everything that is queued for 10 minutes or more", "svc outbox hold --state queued --older 10m"]],
})

export const release = decision(outbox, "release", {
  description: "send a message that is held or unknown",
  details: "An unknown message may have arrived already; then it arrives twice.",
  examples: [
    ["One message", "svc outbox release 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All held or unknown messages", "svc outbox release --held"],
  ],
})

export const retry = postCommand({
  description: "send a failed, dead, unknown or expired message again",
  details: "The message is sent at any age. An unknown message may have arrived already; then it arrives twice.",
  examples: [["After you created the channel", "svc outbox retry 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  options: {id: Option.String({name: "id"})},
  path: "/api/outbox/:id/retry",
  describe: ({messages}) => `retry: ${counted(messages, "message")}`,
})

export const redact = postCommand({
  description: "overwrite the content of an outbox message, for example a secret",
  details:
    "The Host overwrites its text and error, also in the database file. It discards a message that is failed, dead, held, unknown or expired.",
  examples: [["A secret in an answer", "svc outbox redact 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --reason 'a password'"]],
  options: {reason, id: Option.String({name: "id"})},
  path: "/api/outbox/:id/redact",
  describe: (done, {id}) => describeRedacted(done, `message ${id}`),
})

export const list = listCommand({
  description: "list outbox messages, newest first",
  examples: [
    ["The newest five", "svc outbox list --limit 5"],
    ["Dead letters", "svc outbox list --state dead"],
    ["Messages that a plugin sent today", "svc outbox list --plugin reminders --from 2026-01-31T00:00:00Z"],
    ["Messages that may have arrived or not", "svc outbox list --state unknown"],
  ],
  path: "/api/outbox",
  filters: {
    ...searchFilters,
    state: Option.String("--state", {
      description:
        "Only messages in this state: queued, sending, sent, failed, dead, unknown, held, discarded or expired",
    }),
    lasting: Option.Boolean("--lasting", {description: "Only messages with buttons that do not expire"}),
  },
  columns: {
    id: ({id}) => id,
    created: ({createdAt}) => createdAt,
    state: ({state}) => state,
    attempt: ({attempt}) => attempt,
    to: ({endpoint, channel}) => `${endpoint} ${channel}`,
    text: ({text}) => shorten(text, 60),
  },
})

export const show = getCommand({
  description: "show one outbox message: its state, attempts and origin",
  examples: [["A message with its last error", "svc outbox show 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  options: {id: Option.String({name: "id"})},
  path: "/api/outbox/:id",
  describe: message =>
    facts([
      ["id", message.id],
      ["state", message.state],
      ["kind", message.kind],
      ["to", `${message.endpoint} ${message.channel}`],
      ["attempts", String(message.attempt)],
      ["created", message.createdAt],
      ["ended", message.endedAt ?? "not yet"],
      ["not before", message.notBefore],
      ["not after", message.notAfter],
      ["important", message.important ? "yes" : null],
      ["reason", message.reason],
      ["error", message.error],
      ["from", message.inboxSeq === null ? "no event" : `inbox event ${message.inboxSeq}, ${message.handler}`],
      ["platform ids", message.platformIds.join(", ") || "none"],
      ["text", message.text],
    ]),
})
