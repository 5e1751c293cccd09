import {definePlugin} from "../../../shared/sdk/sdk.ts"
import {Account} from "./account.ts"
import {check} from "./check.ts"
import {connect, features} from "./connect.ts"
import {lacks} from "./known.ts"

export const libraries = {"@satorijs/core": "4.6.0"} as const

/** Bots of Koishi's stock adapters, run inside svc. */
export default definePlugin({
  description: "Bots of Koishi's stock adapters (@satorijs/adapter-…)",
  setup(plugin) {
    plugin.adapter("satori-bridge", {
      description: "A bot of a Koishi stock adapter (@satorijs/adapter-…)",
      libraries,
      packages: account => [account.package],
      account: Account,
      history: "none",
      varies: ["elements"],
      roles: "local",
      features,
      lacks,
      limits: {text: 2000, file: 25 * 1024 * 1024},
      open: connect,
      check,
    })
  },
})
