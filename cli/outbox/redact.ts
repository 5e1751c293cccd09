import {Command, Option} from "clipanion"
import type {Redacted} from "../../shared/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {describeRedaction} from "../redacted.ts"
import {DataCommand} from "../svc-command.ts"

export class OutboxRedact extends DataCommand {
  static override paths = [["outbox", "redact"]]
  static override usage = Command.Usage({
    description: "take away what an outbox message says, such as a secret",
    details:
      "Its text and error are overwritten, in the file too. One that is failed, dead, held or unknown is discarded.",
    examples: [
      ["A secret was sent to the bot", "svc outbox redact 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --reason 'a password'"],
    ],
  })

  id = Option.String({name: "id"})
  reason = Option.String("--reason", {description: "Why, for the event log; not the secret itself"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const body = this.reason === undefined ? {} : {reason: this.reason}
    const done = await host.post<Static<typeof Redacted>>(`/api/outbox/${encodeURIComponent(this.id)}/redact`, body)
    this.show(done, () => describeRedaction(`message ${this.id}`, done))
    return exit.ok
  }
}
