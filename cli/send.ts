import {Option} from "clipanion"
import {rowCommand} from "./kit/rows.ts"
import {timeOption} from "./kit/time-option.ts"

export const send = rowCommand({
  description: "send a message through an endpoint",
  details: "The command ends once the message is stored in the outbox; svc outbox show shows whether it was sent.",
  examples: [
    ["To an IRC channel", "svc send irc~libera '#team' 'the build is green'"],
    ["Only within the next two hours", "svc send irc~libera '#team' 'the build is green' --not-after 2h"],
    ["To a Telegram group", "svc send telegram~main -1001234 'the build is green'"],
  ],
  options: {
    endpoint: Option.String({name: "endpoint"}),
    channel: Option.String({name: "channel"}),
    text: Option.String({name: "text"}),
    notAfter: Option.String("--not-after", {
      description: "Do not send it later: a date, a time in ISO 8601, or a time from now such as 2h",
    }),
    important: Option.Boolean("--important", {description: "Alert if it expires"}),
  },
  run: async given => {
    const {endpoint, channel, text, important} = given
    const notAfter = timeOption("--not-after", given.notAfter)
    const accepted = await given.post("/api/outbox", {body: {endpoint, channel, text, notAfter, important}})
    given.show(accepted, () => accepted.id)
  },
})
