import {definePlugin, platformMethods} from "../../../shared/sdk/sdk.ts"
import {Account} from "./api/account.ts"
import {check} from "./check.ts"
import {connect} from "./connect.ts"
import {methodNames} from "./outgoing/members.ts"

export {setup} from "./setup.ts"

export const libraries = {grammy: "1.46.0"} as const

/** Telegram bots, by long polling or by webhook. */
export default definePlugin({
  description: "Telegram",
  setup(plugin) {
    plugin.adapter("telegram", {
      description: "A Telegram bot",
      account: Account,
      history: "replay",
      forgetsAcknowledged: true,
      roles: "local",
      // A bot that was idle for a week gets a random number, and another bot has its own numbers.
      claimedIds: true,
      libraries,
      // Telegram's limits for one bot (core.telegram.org/bots/faq), and the Bot API's for a message and a file.
      rate: {messages: 30, per: 1000},
      limits: {text: 4096, file: 50_000_000},
      features: [
        "edit",
        "delete",
        "react",
        "unreact",
        "typing",
        "open",
        "download",
        "commands",
        "files",
        "buttons",
        ...methodNames,
      ],
      methods: platformMethods("telegram"),
      open: connect,
      check,
      webhook: (request, {takeUpdate}) => takeUpdate(request),
    })
  },
})
