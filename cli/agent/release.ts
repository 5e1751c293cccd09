import {Command, Option} from "clipanion"
import {DecisionCommand} from "../kit/messages/decision.ts"

export class AgentRelease extends DecisionCommand {
  static override usage = Command.Usage({
    description: "continue a run of an agent that a restore holds",
    examples: [
      ["One run", "svc agent release 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
      ["All runs that a restore holds", "svc agent release --held"],
    ],
  })

  id = Option.String({name: "run", required: false})
  held = Option.Boolean("--held", false, {description: "All held runs of agents"})

  run(): Promise<void> {
    return this.decide("runs", "release", this.id, this.held)
  }
}
