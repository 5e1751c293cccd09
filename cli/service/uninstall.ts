import {Command} from "clipanion"
import {ServiceCommand} from "../kit/service-command.ts"

export class ServiceUninstall extends ServiceCommand {
  static override usage = Command.Usage({
    description: "stop the project's service and remove it",
    details:
      "The project and its data stay as they are. The system template svc@.service also stays: other projects may use it.",
    examples: [["The service of your own user, on Linux", "svc service uninstall --user"]],
  })

  async run(): Promise<void> {
    const service = await this.service(true)
    const steps: string[] = []
    await service.uninstall(step => steps.push(step))
    this.show({steps}, () => steps.map(step => `svc: ${step}`).join("\n") || "this project has no service")
  }
}
