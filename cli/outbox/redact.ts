import {Command, Option} from "clipanion"
import {RedactCommand} from "../kit/redact-command.ts"

export class OutboxRedact extends RedactCommand {
  static override usage = Command.Usage({
    description: "overwrite the content of an outbox message, for example a secret",
    details:
      "The Host overwrites its text and error, also in the database file. It discards a message that is failed, dead, held or unknown.",
    examples: [
      [
        "An answer that repeats a secret",
        "svc outbox redact 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --reason 'a password'",
      ],
    ],
  })

  id = Option.String({name: "id"})

  run(): Promise<void> {
    return this.redact(`message ${this.id}`, `/api/outbox/${encodeURIComponent(this.id)}/redact`)
  }
}
