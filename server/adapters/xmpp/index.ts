import {definePlugin, platformMethods} from "../../../shared/sdk/sdk.ts"
import {check} from "./check.ts"
import {connect} from "./connect.ts"
import {memberMethods} from "./members.ts"
import {Account} from "./stream/account.ts"

export const libraries = {"@xmpp/client": "0.14.0"} as const

/** XMPP: any number of accounts, direct chats and rooms, with archived messages from offline times. */
export default definePlugin({
  description: "XMPP",
  setup(plugin) {
    plugin.adapter("xmpp", {
      description: "An XMPP account",
      account: Account,
      history: "replay",
      libraries,
      // Anyone in a room may take a free nick.
      claimedUsers: true,
      roles: "local",
      limits: {text: 5000},
      features: [
        "edit",
        "delete",
        "react",
        "unreact",
        "typing",
        "open",
        "history",
        "files",
        "upload",
        "download",
        ...memberMethods,
      ],
      methods: platformMethods("xmpp"),
      open: connect,
      check,
    })
  },
})
