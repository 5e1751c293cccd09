import {Option} from "clipanion"
import {rowCommand} from "./kit/rows.ts"

export const send = rowCommand({
  description: "send a message through an endpoint",
  details:
    "The command ends once the message is stored in the outbox; svc outbox show shows whether it was sent. If the channel's id starts with a minus, put -- before the arguments.",
  examples: [
    ["To an IRC channel", "svc send irc~libera '#team' 'the build is green'"],
    ["To a Telegram group", "svc send -- telegram~main -1001234 'the build is green'"],
  ],
  options: {
    endpoint: Option.String({name: "endpoint"}),
    channel: Option.String({name: "channel"}),
    text: Option.String({name: "text"}),
  },
  run: async given => {
    const {endpoint, channel, text} = given
    const accepted = await given.post<{id: string}>("/api/outbox", {endpoint, channel, text})
    given.show(accepted, () => accepted.id)
  },
})
