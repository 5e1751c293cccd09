import {definePlugin, platformMethods} from "../../../shared/sdk/sdk.ts"
import {memberMethods} from "./acts/members.ts"
import {Account} from "./api/account.ts"
import {check} from "./check.ts"
import {connect} from "./connect.ts"

export {setup} from "./setup.ts"

/** `undici` is a peer dependency of `@slack/socket-mode`; version 8 needs Node 22.19. */
export const libraries = {"@slack/socket-mode": "3.1.0", "@slack/web-api": "8.2.0", undici: "7.30.2"} as const

/** Slack: any number of apps and workspaces, by Socket Mode or by HTTP. */
export default definePlugin({
  description: "Slack",
  setup(plugin) {
    plugin.adapter("slack", {
      description: "A Slack app in one workspace",
      account: Account,
      history: "none",
      varies: ["elements"],
      roles: "unique",
      features: [
        "edit",
        "delete",
        "react",
        "unreact",
        "open",
        "history",
        "upload",
        "download",
        "files",
        "buttons",
        "selects",
        "forms",
        ...memberMethods,
      ],
      // Slack truncates text at 40,000 characters, and recommends at most 4,000
      // (https://docs.slack.dev/reference/methods/chat.postMessage).
      limits: {text: 4000, file: 1024 ** 3},
      // One message a second in a channel, and a few hundred a minute in a workspace (https://docs.slack.dev/apis/web-api/rate-limits).
      rate: {messages: 200, per: 60_000},
      libraries,
      methods: platformMethods("slack"),
      open: connect,
      check,
      webhook: (request, {answer}) => answer(request),
    })
  },
})
