import {Command} from "clipanion"
import {configSchema} from "../../server/config/schema.ts"
import {SvcCommand} from "../kit/svc-command.ts"

export class ConfigSchema extends SvcCommand {
  static override usage = Command.Usage({
    description: "print the JSON Schema of svc.config.yml, for editors",
    details: "The first line of the template's svc.config.yml points an editor at the copy in the package.",
    examples: [["Save a copy", "svc config schema > svc.config.schema.json"]],
  })

  async run(): Promise<void> {
    this.print(JSON.stringify(configSchema(), undefined, 2))
  }
}
