import {Option} from "clipanion"
import {stringify} from "yaml"
import {parseConfig, readConfigText, readEnvironment} from "../../server/config/load.ts"
import {configSchema} from "../../server/config/schema.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {rowCommand} from "../kit/rows.ts"

export const print = rowCommand({
  description: "print the configuration with defaults and variables filled in",
  details: "Secrets appear as [secret]. Keys that only a plugin's schema knows appear as they are written.",
  examples: [
    ["As YAML", "svc config print"],
    ["Save the JSON Schema for an editor", "svc config print --schema > svc.config.schema.json"],
  ],
  options: {
    schema: Option.Boolean("--schema", false, {
      description:
        "Print the JSON Schema of svc.config.yml instead; the template's first line names a copy in the package",
    }),
    environment: Option.String("--environment", "development", {description: "Reads .env.<name> over .env"}),
  },
  run: async given => {
    if (given.schema) return given.print(JSON.stringify(configSchema(), undefined, 2))
    const {variables} = await readEnvironment(given.folder, given.environment, process.env)
    const {config} = parseConfig(await readConfigText(projectPaths(given.folder).config), variables)
    const plain: unknown = JSON.parse(JSON.stringify(config))
    given.show(plain, () => stringify(plain).trimEnd())
  },
})
