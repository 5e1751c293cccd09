import {definePlugin, type Endpoint, type Feature, Type} from "svc-runtime"

/** A made-up platform with these features. `say` is a message of a user; `did` lists what the bot said since the last call. */
export const createClub = (features: readonly Feature[]) => {
  const did: string[] = []
  let endpoint: Endpoint | undefined
  let count = 0
  const plugin = definePlugin({
    setup(plugin) {
      plugin.adapter("club", {
        history: "none",
        idempotent: true,
        features,
        account: Type.Object({}),
        open: async (_, opened) => {
          endpoint = opened
          opened.login({platform: "club", user: {id: "bot", is_bot: true}, status: 1})
          return {
            send: async ({id, channel, content}) => {
              did.push(
                `${channel}: ${content.map(node => (typeof node === "string" ? node : `<${node.type}>`)).join("")}`,
              )
              return {ids: [id]}
            },
          }
        },
      })
    },
  })
  return {
    plugin,
    did: () => did.splice(0),
    say: (content: string, user: string, channel: string) => {
      const message = {id: `m${++count}`, content}
      const place = {channel: {id: channel, type: 0}, guild: {id: "g"}}
      return endpoint?.receive({
        id: message.id,
        type: "message-created",
        timestamp: Date.now(),
        user: {id: user},
        message,
        ...place,
      })
    },
  }
}
