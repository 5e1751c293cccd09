import {Command} from "clipanion"
import {SwitchCommand} from "../kit/switch-command.ts"

export class PluginDisable extends SwitchCommand {
  static override usage = Command.Usage({
    description: "disable a plugin while the Host runs",
    details: `
      The Host removes everything that the plugin publishes, and commits and pins a new generation without it. It stays disabled, across restarts too, until svc plugin enable, svc generation unpin, or a change of svc.config.yml.

      The command does not change svc.config.yml. To disable a plugin for good, write enabled: false there.
    `,
    examples: [["Disable the plugin greeter", "svc plugin disable greeter"]],
  })

  run(): Promise<void> {
    return this.turn(false)
  }
}
