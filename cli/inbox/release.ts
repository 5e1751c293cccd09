import {Command, Option} from "clipanion"
import {heldOption} from "../kit/messages/decision.ts"
import {InboxActionCommand} from "../kit/messages/inbox-action.ts"

export class InboxRelease extends InboxActionCommand {
  static override usage = Command.Usage({
    description: "run the held handlers of an event",
    examples: [
      ["One event", "svc inbox release 42"],
      ["All events that a restore holds", "svc inbox release --held"],
    ],
  })

  seq = Option.String({name: "seq", required: false})
  held = heldOption("inbox")

  run(): Promise<void> {
    return this.act("release", this.seq, this.held)
  }
}
