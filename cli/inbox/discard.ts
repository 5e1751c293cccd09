import {Command, Option} from "clipanion"
import {heldOption} from "../kit/messages/decision.ts"
import {InboxActionCommand} from "../kit/messages/inbox-action.ts"

export class InboxDiscard extends InboxActionCommand {
  static override usage = Command.Usage({
    description: "discard the failed, dead and held handlers of an event",
    examples: [
      ["One event that no longer needs an answer", "svc inbox discard 42"],
      ["All events that a restore holds", "svc inbox discard --held"],
    ],
  })

  seq = Option.String({name: "seq", required: false})
  held = heldOption("inbox")

  run(): Promise<void> {
    return this.act("discard", this.seq, this.held)
  }
}
