import {Command, Option} from "clipanion"
import type {ExitCode} from "../../shared/exit.ts"
import {InboxActionCommand} from "../kit/messages/inbox-action.ts"

export class InboxRetry extends InboxActionCommand {
  static override paths = [["inbox", "retry"]]
  static override usage = Command.Usage({
    description: "run the failed and dead handlers of an event again",
    details: "What a handler had sent with sendNow is not sent a second time.",
    examples: [["Once the bug is fixed", "svc inbox retry 42"]],
  })

  seq = Option.String({name: "seq"})

  run(): Promise<ExitCode> {
    return this.act("retry", this.seq)
  }
}
