/** The states of an outbound message. docs/outbox.md describes them. */
export const outboxStates = [
  "scheduled",
  "queued",
  "sending",
  "sent",
  "failed",
  "dead",
  "unknown",
  "held",
  "discarded",
  "expired",
] as const

export type OutboxState = (typeof outboxStates)[number]
