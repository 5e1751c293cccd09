import {definePlugin} from "../../../shared/sdk/sdk.ts"
import {check} from "./check.ts"
import {connect} from "./connect.ts"
import {Account} from "./mailbox/account.ts"

/** The versions that the tests use. */
export const libraries = {imapflow: "2.0.6", mailparser: "3.7.5", nodemailer: "10.6.1"} as const

/** Mail: any number of mailboxes, read over IMAP and answered over SMTP. */
export default definePlugin({
  description: "Mail",
  setup(plugin) {
    plugin.adapter("email", {
      description: "A mailbox",
      libraries,
      account: Account,
      history: "replay",
      features: ["open", "files", "download"],
      limits: {text: 60_000, file: 18_000_000},
      rate: {messages: 60, per: 60_000},
      claimedUsers: true,
      varies: ["elements"],
      ignoresCase: true,
      open: connect,
      check,
    })
  },
})
