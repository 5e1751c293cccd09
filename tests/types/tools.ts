import {definePlugin, Type} from "svc-runtime"

const parameters = Type.Object({city: Type.String(), days: Type.Optional(Type.Integer())})

/** Held by the compiler: every line below an `@ts-expect-error` must not compile, and all others must. */
export default definePlugin({
  setup(plugin) {
    plugin.tool("now", {description: "The weather", parameters, effect: "none"}, ({args, agent, key, place}) => {
      const city: string = args.city
      const days: number | undefined = args.days
      const channel: string | undefined = place?.channel
      return {city, days, agent, key, channel}
    })
    plugin.tool(
      "warn",
      {
        description: "Warns a channel",
        parameters,
        effect: "transaction",
        permission: "trusted",
        approval: true,
        timeout: 5,
      },
      async ({args, send, database}) => {
        await send({endpoint: "irc", channel: "#weather"}, args.city)
        await database.write([{sql: `INSERT INTO ${database.table("warned")} VALUES (?)`, args: [args.city]}])
      },
    )
    // @ts-expect-error: the parameters have no such field
    plugin.tool("now", {description: "The weather", parameters, effect: "none"}, ({args}) => args.country)
    // @ts-expect-error: a tool says its effect
    plugin.tool("now", {description: "The weather", parameters}, () => "sunny")
    // @ts-expect-error: an effect that is none
    plugin.tool("now", {description: "The weather", parameters, effect: "read"}, () => "sunny")
    // @ts-expect-error: the parameters are of an object
    plugin.tool("now", {description: "The weather", parameters: Type.String(), effect: "none"}, () => "sunny")
    // @ts-expect-error: a key that no tool has
    plugin.tool("now", {description: "The weather", parameters, effect: "none", aproval: true}, () => "sunny")
    // @ts-expect-error: a permission that is none
    plugin.tool("now", {description: "The weather", parameters, effect: "none", permission: "root"}, () => "sunny")
    // @ts-expect-error: a tool does something
    plugin.tool("now", {description: "The weather", parameters, effect: "none"})
  },
})
