import {Command, Option} from "clipanion"
import {InboxActionCommand} from "../kit/messages/inbox-action.ts"

export class InboxRetry extends InboxActionCommand {
  static override usage = Command.Usage({
    description: "run the failed and dead handlers of an event again",
    details: "Messages that a handler had already sent with sendNow are not sent again.",
    examples: [["Once the bug is fixed", "svc inbox retry 42"]],
  })

  seq = Option.String({name: "seq"})

  run(): Promise<void> {
    return this.act("retry", this.seq)
  }
}
