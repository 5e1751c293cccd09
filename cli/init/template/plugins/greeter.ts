import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  description: "Says hello",
  config: Type.Object({greeting: Type.String({default: "hello"})}),
  setup(plugin, config) {
    plugin.command("greet <name:string>", {description: "Say hello", aliases: ["hi"]}, ({args}) => {
      return `${config.greeting} ${args.name}`
    })
    plugin.on("message-created", async session => {
      if (session.text === "ping") await session.send("pong")
    })
  },
})
