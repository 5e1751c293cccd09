import {Command, Option} from "clipanion"
import {DecisionCommand} from "../kit/messages/decision.ts"

export class OutboxRetry extends DecisionCommand {
  static override usage = Command.Usage({
    description: "send a failed, dead or unknown message again",
    details: "An unknown message may have arrived already; then it arrives twice.",
    examples: [["After you created the channel", "svc outbox retry 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  })

  id = Option.String({name: "id"})

  run(): Promise<void> {
    return this.decide("outbox", "retry", this.id)
  }
}
