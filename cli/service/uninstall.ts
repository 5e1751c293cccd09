import {Command} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {ServiceCommand} from "../kit/service-command.ts"

export class ServiceUninstall extends ServiceCommand {
  static override paths = [["service", "uninstall"]]
  static override usage = Command.Usage({
    description: "stop the project's service and remove it",
    details:
      "The project and its data stay as they are; so does the system's template svc@.service, which other projects may use.",
    examples: [["That of your own user, on Linux", "svc service uninstall --user"]],
  })

  async run(): Promise<ExitCode> {
    const service = await this.service(true)
    const steps: string[] = []
    await service.uninstall(step => steps.push(step))
    this.show({steps}, () => steps.map(step => `svc: ${step}`).join("\n") || "there is no service of this project")
    return exit.ok
  }
}
