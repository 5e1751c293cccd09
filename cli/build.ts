import {buildPlugins} from "../server/process/build.ts"
import {rowCommand} from "./kit/rows.ts"

export const build = rowCommand({
  description: "bundle the project's plugins to dist/plugins",
  details:
    "In production the Host runs this build, and refuses one that is older than its source. The old build stays in place until the new one is complete.",
  examples: [["Before a release", "svc build"]],
  run: async given => {
    const plugins = await buildPlugins(given.folder)
    given.show({plugins}, () => (plugins.length === 0 ? "no plugins found in plugins/" : `built ${plugins.join(", ")}`))
  },
})
