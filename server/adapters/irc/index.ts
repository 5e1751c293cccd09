import {definePlugin} from "../../../shared/sdk/sdk.ts"
import {Account} from "./account.ts"
import {check} from "./check.ts"
import {connect} from "./connect.ts"

/** IRC: any number of accounts, TLS, SASL, channel and private messages. */
export default definePlugin({
  description: "IRC",
  setup(plugin) {
    plugin.adapter("irc", {
      description: "An IRC account",
      account: Account,
      history: "none",
      resumes: true,
      claimedUsers: true,
      roles: "local",
      ignoresCase: true,
      claimedIds: true,
      open: connect,
      check,
    })
  },
})
