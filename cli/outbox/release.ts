import {decision} from "../kit/messages/decision.ts"

export const OutboxRelease = decision("outbox", "release", {
  description: "send a message that is held or unknown",
  details: "An unknown message may have arrived already; then it arrives twice.",
  examples: [
    ["One message", "svc outbox release 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All held or unknown messages", "svc outbox release --held"],
  ],
})
