import {definePlugin, platformMethods} from "../../../shared/sdk/sdk.ts"
import {checkAccount} from "./check.ts"
import {Account} from "./client/account.ts"
import {Logins} from "./client/login.ts"
import {connect} from "./connect.ts"
import {methods} from "./members.ts"

export {setup} from "./setup.ts"

/** Matrix: rooms and direct rooms without encryption, through the client-server API. */
export default definePlugin({
  description: "Matrix",
  setup(plugin) {
    const logins = new Logins()
    plugin.adapter("matrix", {
      description: "A Matrix account",
      account: Account,
      history: "replay",
      idempotent: true,
      roles: "local",
      // After a restart, the adapter may not know the thread of a reaction.
      varies: ["channel", "elements"],
      resumes: true,
      features: ["edit", "delete", "react", "unreact", "typing", "open", "history", "download", "files", ...methods],
      limits: {text: 10_000},
      methods: platformMethods("matrix"),
      open: (account, endpoint) => connect(logins, account, endpoint),
      check: (account, tools) => checkAccount(logins, account, tools),
    })
  },
})
