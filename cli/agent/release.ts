import {decision} from "../kit/messages/decision.ts"

export const AgentRelease = decision("runs", "release", {
  description: "continue a run of an agent that a restore holds",
  examples: [
    ["One run", "svc agent release 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All runs that a restore holds", "svc agent release --held"],
  ],
})
