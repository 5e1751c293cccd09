import {setTimeout as sleep} from "node:timers/promises"
import {definePlugin, type Endpoint, Type} from "svc-runtime"

/** A channel whose users all call `/price`, which takes as long as they say, and one of whom calls `/ping`. */
export default definePlugin({
  setup(plugin) {
    let endpoint: Endpoint | undefined
    let heard = (_: string) => {}
    plugin.command("price <ms:integer>", async ({args, session}) => {
      await sleep(args.ms)
      return `${session.user?.id}`
    })
    plugin.command("ping", ({session}) => `${session.user?.id}`)
    plugin.adapter("crowd", {
      history: "none",
      open: async (_, own) => {
        endpoint = own
        return {
          send: async ({id, content}) => {
            heard(content.join(""))
            return {ids: [id]}
          },
        }
      },
    })
    plugin.route({
      method: "GET",
      path: "/crowd",
      scope: "full",
      summary: "The time to the last price and to the ping, in milliseconds",
      query: Type.Object({users: Type.Integer(), ms: Type.Integer()}),
      handle: async (_, {query: {users, ms}}) => {
        const begun = performance.now()
        const times = new Map<string, number>()
        const {promise, resolve} = Promise.withResolvers<void>()
        heard = user => {
          times.set(user, performance.now() - begun)
          if (times.size > users) resolve()
        }
        const say = (user: string, content: string) =>
          endpoint?.receive({
            id: `${user} ${begun}`,
            type: "message-created",
            channel: {id: "square", type: 0},
            user: {id: user},
            message: {id: `${user} ${begun}`, content},
          })
        await Promise.all(Array.from({length: users}, (_, n) => say(`${n}`, `/price ${ms}`)))
        await say("ping", "/ping")
        await promise
        return Response.json({last: Math.max(...times.values()), ping: times.get("ping")})
      },
    })
  },
})
