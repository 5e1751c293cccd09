import {Command} from "clipanion"
import type {ExitCode} from "../../shared/exit.ts"
import {SwitchCommand} from "../kit/switch-command.ts"

export class PluginDisable extends SwitchCommand {
  static override paths = [["plugin", "disable"]]
  static override usage = Command.Usage({
    description: "disable a plugin while the Host runs",
    details: `
      All that it publishes is gone, across restarts, until svc plugin enable, svc generation unpin, or a change of svc.config.yml, which is not rewritten.

      It is committed as a new generation and pinned. To keep it off for good, write enabled: false into svc.config.yml.
    `,
    examples: [["The plugin greeter does harm", "svc plugin disable greeter"]],
  })

  run(): Promise<ExitCode> {
    return this.turn(false)
  }
}
