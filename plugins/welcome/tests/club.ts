import {definePlugin, type Endpoint, type Feature, Type} from "svc-runtime"

/** A made-up platform with these features. `happen` reports an event; `did` lists what the bot did. */
export const createClub = (features: readonly Feature[], members: readonly string[] = []) => {
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
            open: async user => ({id: `@${user}`, type: 1}),
            call: async (method, params) => {
              if (method === "guild.member.list") return {data: members.map(id => ({user: {id}}))}
              did.push(`${method} ${params.user_id} ${params.role_id}`)
            },
          }
        },
      })
    },
  })
  return {
    plugin,
    /** Returns what the bot did since the last call. */
    did: () => did.splice(0),
    happen: (type: "guild-member-added" | "guild-member-removed", user: object, place: object) =>
      endpoint?.receive({id: `e${++count}`, type, timestamp: Date.now(), user: {id: "", ...user}, ...place}),
  }
}
