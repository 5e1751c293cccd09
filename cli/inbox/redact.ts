import {Command, Option} from "clipanion"
import type {ExitCode} from "../../shared/exit.ts"
import {RedactCommand} from "../kit/redact-command.ts"

export class InboxRedact extends RedactCommand {
  static override paths = [["inbox", "redact"]]
  static override usage = Command.Usage({
    description: "take away what an inbox event says, such as a secret",
    details:
      "Text, names, the platform's payload and the errors of its handlers are overwritten, in the file too; ids and times stay. Handlers that are failed, dead or held are discarded. What was answered is a message of its own: svc outbox redact.",
    examples: [["A secret was sent to the bot", "svc inbox redact 42 --reason 'a password'"]],
  })

  seq = Option.String({name: "seq"})

  run(): Promise<ExitCode> {
    return this.redact(`event ${this.seq}`, `/api/inbox/${encodeURIComponent(this.seq)}/redact`)
  }
}
