import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  description: "Tells what it is",
  config: Type.Object({
    answer: Type.String({default: "I am example.", description: "What the command answers"}),
  }),
  setup(plugin, {answer}) {
    plugin.command("example", {description: "Tell what this plugin is"}, () => answer)
  },
})
