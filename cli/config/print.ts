import {Command, Option} from "clipanion"
import {stringify} from "yaml"
import {parseConfig, readConfigText, readEnvironment} from "../../server/config/load.ts"
import {configSchema} from "../../server/config/schema.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class ConfigPrint extends DataCommand {
  static override usage = Command.Usage({
    description: "print the configuration with defaults and variables filled in",
    details: "Secrets appear as [secret]. Keys that only a plugin's schema knows appear as they are written.",
    examples: [
      ["As YAML", "svc config print"],
      ["Save the JSON Schema for an editor", "svc config print --schema > svc.config.schema.json"],
    ],
  })

  schema = Option.Boolean("--schema", false, {
    description:
      "Print the JSON Schema of svc.config.yml instead; the template's first line names a copy in the package",
  })

  environment = Option.String("--environment", "development", {description: "Reads .env.<name> over .env"})

  async run(): Promise<void> {
    if (this.schema) return this.print(JSON.stringify(configSchema(), undefined, 2))
    const {variables} = await readEnvironment(this.folder, this.environment, process.env)
    const {config} = parseConfig(await readConfigText(projectPaths(this.folder).config), variables)
    const plain: unknown = JSON.parse(JSON.stringify(config))
    this.show(plain, () => stringify(plain).trimEnd())
  }
}
