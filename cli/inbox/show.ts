import {Command, Option} from "clipanion"
import type {InboxDetail} from "../../shared/api/messages.ts"
import {facts} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class InboxShow extends DataCommand {
  static override usage = Command.Usage({
    description: "show one inbox event with its handlers and the messages they sent",
    examples: [["An event that got no answer", "svc inbox show 42"]],
  })

  seq = Option.String({name: "seq"})

  async run(): Promise<void> {
    this.show(await this.get<InboxDetail>(`/api/inbox/${encodeURIComponent(this.seq)}`), describeEvent)
  }
}

const describeEvent = ({seq, state, endpoint, type, receivedAt, event, eventId, marks, replies}: InboxDetail): string =>
  facts([
    ["seq", String(seq)],
    ["state", state],
    ["endpoint", endpoint],
    ["type", type],
    ["received", receivedAt],
    ["event id", eventId],
    ["channel", event.channel?.id ?? ""],
    ["user", event.user?.name ?? event.user?.id ?? ""],
    ["content", event.message?.content ?? ""],
    ...(marks.length === 0
      ? [["handlers", "none"] as const]
      : marks.map(
          mark =>
            [
              "handler",
              `${mark.handler}: ${mark.state}, attempt ${mark.attempt}${mark.error === null ? "" : `, ${mark.error}`}`,
            ] as const,
        )),
    ["sent", replies.join(", ") || "nothing"],
  ])
