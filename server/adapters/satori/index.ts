import {definePlugin} from "../../../shared/sdk/sdk.ts"
import {Account} from "./account.ts"
import {features} from "./acts.ts"
import {check} from "./check.ts"
import {connect} from "./connect.ts"

/** Logins of any Satori v1 server: Koishi, another svc Host, or another bridge to chat platforms. */
export default definePlugin({
  description: "Logins of a Satori server",
  setup(plugin) {
    plugin.adapter("satori", {
      description: "A login of a Satori server",
      account: Account,
      history: "none",
      varies: ["elements"],
      roles: "local",
      features,
      lacks: ({buttons}) => (buttons === true ? [] : ["buttons"]),
      open: connect,
      check,
    })
  },
})
