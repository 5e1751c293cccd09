import {definePlugin, type Endpoint, type EventType, type Feature, refused, Type} from "svc-runtime"

/**
 * A made-up platform with these features. `say` is a message of a user in a channel of the club. `did` lists what the
 * bot did since the last call. It refuses the methods in `refuses`.
 */
export const createClub = (features: readonly Feature[], refuses: readonly string[] = []) => {
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
              const shown = content.map(node => (typeof node === "string" ? node : `@${node.attrs.id}`))
              did.push(`${channel}: ${shown.join("")}`)
              return {ids: [id]}
            },
            delete: async ({message}) => {
              did.push(`delete ${message}`)
            },
            call: async (method, {user_id: user, duration}) => {
              if (refuses.includes(method))
                throw refused("the bot is no moderator", {reason: "no_right", remediation: "Make it one."})
              did.push(`${method} ${user}${duration === undefined ? "" : ` ${duration}`}`)
            },
          }
        },
      })
    },
  })
  return {
    plugin,
    did: () => did.splice(0),
    say: (
      content: string,
      user: object,
      {type = "message-created", id = `m${++count}`}: {type?: EventType; id?: string} = {},
    ) =>
      endpoint?.receive({
        id: `e${++count}`,
        type,
        timestamp: Date.now(),
        channel: {id: "hall", type: 0},
        guild: {id: "g"},
        user: {id: "", ...user},
        message: {id, content},
      }),
  }
}
