import {definePlugin, platformMethods} from "../../../shared/sdk/sdk.ts"
import {Account} from "./account.ts"
import {check} from "./check.ts"
import {connect} from "./connect.ts"
import {methodNames} from "./methods.ts"

/** OneBot v11: QQ and other platforms through an implementation such as NapCat, over WebSocket or HTTP. */
export default definePlugin({
  description: "OneBot",
  setup(plugin) {
    plugin.adapter("onebot", {
      description: "A bot on a OneBot v11 implementation",
      account: Account,
      history: "none",
      varies: ["elements"],
      roles: "local",
      features: ["delete", "open", "history", "files", ...methodNames],
      lacks: ({history}) => (history === true ? [] : ["history"]),
      sockets: ({reverse}) => reverse !== undefined,
      // The standard sets no limits. These are what QQ accepts by experience, and a sensible size for base64 in one
      // JSON text.
      limits: {text: 4000, file: 20 * 1024 * 1024},
      methods: platformMethods("onebot"),
      open: connect,
      check,
      webhook: (request, {hook}) => hook(request),
    })
  },
})
