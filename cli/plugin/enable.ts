import {Command} from "clipanion"
import {SwitchCommand} from "../kit/switch-command.ts"

export class PluginEnable extends SwitchCommand {
  static override usage = Command.Usage({
    description: "enable a disabled plugin while the Host runs",
    details:
      "If the result equals svc.config.yml, the pin that disabled the plugin ends; otherwise the Host pins the new configuration.",
    examples: [["Enable the plugin greeter again", "svc plugin enable greeter"]],
  })

  run(): Promise<void> {
    return this.turn(true)
  }
}
