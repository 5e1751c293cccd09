import {definePlugin, Type} from "svc-runtime"

const parameters = Type.Object({city: Type.String(), days: Type.Optional(Type.Integer())})

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
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
    // @ts-expect-error: a tool must declare its effect
    plugin.tool("now", {description: "The weather", parameters}, () => "sunny")
    // @ts-expect-error: an unknown effect
    plugin.tool("now", {description: "The weather", parameters, effect: "read"}, () => "sunny")
    // @ts-expect-error: the parameters must be an object
    plugin.tool("now", {description: "The weather", parameters: Type.String(), effect: "none"}, () => "sunny")
    // @ts-expect-error: an unknown key
    plugin.tool("now", {description: "The weather", parameters, effect: "none", aproval: true}, () => "sunny")
    // @ts-expect-error: an unknown permission
    plugin.tool("now", {description: "The weather", parameters, effect: "none", permission: "root"}, () => "sunny")
    // @ts-expect-error: a tool needs a function
    plugin.tool("now", {description: "The weather", parameters, effect: "none"})
  },
})
