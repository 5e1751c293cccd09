import {Command} from "clipanion"
import type {ExitCode} from "../../shared/exit.ts"
import {SwitchCommand} from "../kit/switch-command.ts"

export class PluginEnable extends SwitchCommand {
  static override paths = [["plugin", "enable"]]
  static override usage = Command.Usage({
    description: "enable a plugin that is disabled, while the Host runs",
    details: `
      Where svc.config.yml says the same again, the pin that disabled it ends; else the running configuration is pinned.
    `,
    examples: [["The plugin greeter is right again", "svc plugin enable greeter"]],
  })

  run(): Promise<ExitCode> {
    return this.turn(true)
  }
}
