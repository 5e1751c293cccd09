import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  description: "Describes itself",
  config: Type.Object({
    answer: Type.String({default: "I am example.", description: "The answer of the command"}),
  }),
  setup(plugin, {answer}) {
    plugin.command("example", {description: "Describe this plugin"}, () => answer)
  },
})
