import {Command, Option} from "clipanion"
import type {OutboxDetail} from "../../shared/api/messages.ts"
import {facts} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class OutboxShow extends DataCommand {
  static override usage = Command.Usage({
    description: "show one outbox message: its state, attempts and origin",
    examples: [["A message with its last error", "svc outbox show 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  })

  id = Option.String({name: "id"})

  async run(): Promise<void> {
    this.show(await this.get<OutboxDetail>(`/api/outbox/${encodeURIComponent(this.id)}`), describeMessage)
  }
}

const describeMessage = (message: OutboxDetail): string =>
  facts([
    ["id", message.id],
    ["state", message.state],
    ["kind", message.kind],
    ["to", `${message.endpoint} ${message.channel}`],
    ["attempts", String(message.attempt)],
    ["created", message.createdAt],
    ["ended", message.endedAt ?? "not yet"],
    ["not before", message.notBefore],
    ["reason", message.reason],
    ["error", message.error],
    ["from", message.inboxSeq === null ? "no event" : `inbox event ${message.inboxSeq}, ${message.handler}`],
    ["platform ids", message.platformIds.join(", ") || "none"],
    ["text", message.text],
  ])
