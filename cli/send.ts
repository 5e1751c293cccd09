import {Command, Option} from "clipanion"
import {DataCommand} from "./kit/svc-command.ts"

export class Send extends DataCommand {
  static override usage = Command.Usage({
    description: "send a message through an endpoint",
    details:
      "The command ends once the message is stored in the outbox; svc outbox show shows whether it was sent. If the channel's id starts with a minus, put -- before the arguments.",
    examples: [
      ["To an IRC channel", "svc send irc~libera '#team' 'the build is green'"],
      ["To a Telegram group", "svc send -- telegram~main -1001234 'the build is green'"],
    ],
  })

  endpoint = Option.String({name: "endpoint"})
  channel = Option.String({name: "channel"})
  text = Option.String({name: "text"})

  async run(): Promise<void> {
    const {endpoint, channel, text} = this
    const accepted = await this.post<{id: string}>("/api/outbox", {endpoint, channel, text})
    this.show(accepted, () => accepted.id)
  }
}
