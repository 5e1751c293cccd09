import {pluginWith} from "./plugin-sources.ts"

/**
 * The source of a stand-in for a platform without accounts and without history: slot `away`. It is offline while the
 * project has a file `away`; as soon as the file appears, the connection is lost.
 */
export const awayPlugin = pluginWith(`
    const isAway = () => existsSync(join(plugin.project, "away"))
    plugin.adapter("away", {
      history: "none",
      open: async (_, endpoint) => {
        if (isAway()) throw new Error("the platform is away")
        const watch = setInterval(() => isAway() && endpoint.lost(new Error("the platform went away")), 20)
        endpoint.defer(() => clearInterval(watch))
        return {send: async message => ({ids: [message.id]})}
      },
    })`)
