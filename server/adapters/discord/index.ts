import {definePlugin, platformMethods} from "../../../shared/sdk/sdk.ts"
import {methodNames} from "./acts/methods.ts"
import {Account} from "./api/account.ts"
import {check} from "./check.ts"
import {connect} from "./connect.ts"
import {longestText} from "./content/parts.ts"

export {setup} from "./setup.ts"

export const libraries = {"@discordjs/ws": "2.0.4", "@discordjs/rest": "2.6.3"} as const

/** Discord: any number of bots, through its gateway and its HTTP API. */
export default definePlugin({
  description: "Discord",
  setup(plugin) {
    plugin.adapter("discord", {
      description: "A Discord bot",
      libraries,
      account: Account,
      // Discord resumes a session only for some minutes. Later messages come from the history.
      history: "none",
      varies: ["elements"],
      roles: "unique",
      // Discord drops a message with a known nonce only for some minutes, which is shorter than a Host may be down.
      resumes: true,
      features: [
        "edit",
        "delete",
        "react",
        "unreact",
        "typing",
        "open",
        "history",
        "download",
        "commands",
        "files",
        "buttons",
        "selects",
        "forms",
        ...methodNames,
      ],
      limits: {text: longestText, file: 10 * 1024 * 1024},
      // Counts all requests of a bot, of any kind (Discord: Rate Limits, "Global Rate Limit").
      rate: {messages: 50, per: 1000},
      methods: platformMethods("discord"),
      open: connect,
      check,
      webhook: (request, {hook}) => hook(request),
    })
  },
})
