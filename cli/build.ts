import {Command} from "clipanion"
import {buildPlugins} from "../server/process/build.ts"
import {DataCommand} from "./kit/svc-command.ts"

export class Build extends DataCommand {
  static override usage = Command.Usage({
    description: "bundle the project's plugins to dist/plugins",
    details:
      "In production the Host runs this build, and refuses one that is older than its source. The old build stays in place until the new one is complete.",
    examples: [["Before a release", "svc build"]],
  })

  async run(): Promise<void> {
    const plugins = await buildPlugins(this.folder)
    this.show({plugins}, () => (plugins.length === 0 ? "no plugins found in plugins/" : `built ${plugins.join(", ")}`))
  }
}
