import {Command, Option} from "clipanion"
import {DecisionCommand} from "../kit/messages/decision.ts"

export class TimerCancel extends DecisionCommand {
  static override usage = Command.Usage({
    description: "cancel a timer, so that it never fires",
    examples: [
      ["One timer", "svc timer cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
      ["All timers that a restore holds", "svc timer cancel --held"],
    ],
  })

  id = Option.String({name: "id", required: false})
  held = Option.Boolean("--held", false, {description: "All held timers"})

  run(): Promise<void> {
    return this.decide("timers", "cancel", this.id, this.held)
  }
}
