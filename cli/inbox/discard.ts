import {Command, Option} from "clipanion"
import type {ExitCode} from "../../shared/exit.ts"
import {InboxActionCommand} from "../kit/messages/inbox-action.ts"

export class InboxDiscard extends InboxActionCommand {
  static override paths = [["inbox", "discard"]]
  static override usage = Command.Usage({
    description: "give up the failed, dead and held handlers of an event",
    examples: [
      ["One event that needs no answer any more", "svc inbox discard 42"],
      ["Everything that a restore held back", "svc inbox discard --held"],
    ],
  })

  seq = Option.String({name: "seq", required: false})
  held = Option.Boolean("--held", false, {description: "Every event that is held"})

  run(): Promise<ExitCode> {
    return this.act("discard", this.seq, this.held)
  }
}
