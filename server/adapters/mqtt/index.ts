import {definePlugin} from "../../../shared/sdk/sdk.ts"
import {Account} from "./account.ts"
import {check} from "./check.ts"
import {connect} from "./connect.ts"

export const libraries = {mqtt: "5.16.0"} as const

/** MQTT 5: topics as channels, any number of brokers. Messages are acknowledged once they are stored. */
export default definePlugin({
  description: "MQTT",
  setup(plugin) {
    plugin.adapter("mqtt", {
      description: "An MQTT client",
      libraries,
      account: Account,
      history: "replay",
      forgetsAcknowledged: true,
      claimedUsers: true,
      varies: ["payload"],
      open: connect,
      check,
    })
  },
})
