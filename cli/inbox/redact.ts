import {Command, Option} from "clipanion"
import {RedactCommand} from "../kit/redact-command.ts"

export class InboxRedact extends RedactCommand {
  static override usage = Command.Usage({
    description: "overwrite the content of an inbox event, for example a secret",
    details:
      "The Host overwrites the text, the names, the platform's payload and the errors of the handlers, also in the database file. Ids and times stay. It discards failed, dead and held handlers. To redact the answer too, use svc outbox redact.",
    examples: [["A secret was sent to the bot", "svc inbox redact 42 --reason 'a password'"]],
  })

  seq = Option.String({name: "seq"})

  run(): Promise<void> {
    return this.redact(`event ${this.seq}`, `/api/inbox/${encodeURIComponent(this.seq)}/redact`)
  }
}
