import {Command, Option} from "clipanion"
import type {Redacted} from "../../shared/api.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "../host-client.ts"
import {describeRedaction} from "../redacted.ts"
import {DataCommand} from "../svc-command.ts"

export class InboxRedact extends DataCommand {
  static override paths = [["inbox", "redact"]]
  static override usage = Command.Usage({
    description: "take away what an inbox event says, such as a secret",
    details:
      "Text, names, the platform's payload and the errors of its handlers are overwritten, in the file too; ids and times stay. Handlers that are failed, dead or held are discarded. What was answered is a message of its own: svc outbox redact.",
    examples: [["A secret was sent to the bot", "svc inbox redact 42 --reason 'a password'"]],
  })

  seq = Option.String({name: "seq"})
  reason = Option.String("--reason", {description: "Why, for the event log; not the secret itself"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const body = this.reason === undefined ? {} : {reason: this.reason}
    const done = await host.post<Static<typeof Redacted>>(`/api/inbox/${encodeURIComponent(this.seq)}/redact`, body)
    this.show(done, () => describeRedaction(`event ${this.seq}`, done))
    return exit.ok
  }
}
