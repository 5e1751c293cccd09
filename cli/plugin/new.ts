import {Command, Option} from "clipanion"
import {builtIns} from "../../server/host/generations/built-in-plugins.ts"
import {makePlugin} from "../../server/process/new-plugin.ts"
import {callOf} from "../../server/process/toolchain.ts"
import {packageRoot} from "../../server/runtime/own-files.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {isHostRunning} from "../kit/host-client.ts"
import {facts} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class PluginNew extends DataCommand {
  static override paths = [["plugin", "new"]]
  static override usage = Command.Usage({
    description: "make a new plugin in the project",
    details: `
      Writes plugins/<name>.ts and tests/<name>.test.ts, and adds the plugin to svc.config.yml, whose comments stay. Existing files are never replaced.

      A Host that runs in development takes it at once. With \`--adapter\` it is an adapter that works with the small server of its test, tests/<name>-server.ts.
    `,
    examples: [
      ["A plugin with a command", "svc plugin new dice"],
      ["An adapter for a chat platform", "svc plugin new my-chat --adapter"],
    ],
  })

  plugin = Option.String({name: "name"})
  adapter = Option.Boolean("--adapter", false, {description: "Make an adapter"})

  async run(): Promise<ExitCode> {
    const made = await makePlugin({
      project: this.folder,
      name: this.plugin,
      isAdapter: this.adapter,
      builtIn: Object.keys(builtIns),
      packageRoot,
    })
    const isRunning = await isHostRunning(this.folder)
    this.show(made, () => describe(made.files, made.name, isRunning))
    return exit.ok
  }
}

const describe = (files: readonly string[], name: string, isRunning: boolean): string => {
  const {run} = callOf(process.versions.bun === undefined ? "node" : "bun")
  const takes = "In development the running Host takes it at once; in production, svc build and a restart are needed."
  const steps = facts([
    [`  ${run} test`, "tests it"],
    ...(isRunning ? [] : [[`  ${run} dev`, "starts the Host with it"] as const]),
  ])
  return `wrote ${files.slice(0, -1).join(", ")}
added ${name} to ${files.at(-1)}${isRunning ? `\n${takes}` : ""}

${steps}`
}
