import {decision} from "../kit/messages/decision.ts"

export const AgentDiscard = decision("runs", "discard", {
  description: "discard a run of an agent that a restore holds",
  examples: [
    ["One run", "svc agent discard 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All runs that a restore holds", "svc agent discard --held"],
  ],
})
