import {Command} from "clipanion"
import {buildPlugins} from "../server/process/build.ts"
import {type ExitCode, exit} from "../shared/exit.ts"
import {DataCommand} from "./kit/svc-command.ts"

export class Build extends DataCommand {
  static override paths = [["build"]]
  static override usage = Command.Usage({
    description: "bundle the project's plugins to dist/plugins",
    details: "In production the Host runs what was built. svc doctor tells when the build is older than its source.",
    examples: [["Before a release", "svc build"]],
  })

  async run(): Promise<ExitCode> {
    const plugins = await buildPlugins(this.folder)
    this.show({plugins}, () =>
      plugins.length === 0 ? "there are no plugins in plugins/" : `built ${plugins.join(", ")}`,
    )
    return exit.ok
  }
}
