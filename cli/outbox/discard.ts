import {decision} from "../kit/messages/decision.ts"

export const OutboxDiscard = decision("outbox", "discard", {
  description: "discard a message that was not sent",
  details: "The message stays in the list as discarded.",
  examples: [
    ["One message", "svc outbox discard 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All held or unknown messages", "svc outbox discard --held"],
  ],
})
