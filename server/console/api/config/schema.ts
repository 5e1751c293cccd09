import {Named} from "../../../../shared/api/schemas.ts"
import type {Operation} from "../../../../shared/sdk/route.ts"
import {type TSchema, Type} from "../../../../shared/type.ts"
import {asWritten, configSchema} from "../../../config/schema.ts"
import type {Generation} from "../../../generation/generation.ts"

const ConfigSchemas = Named("ConfigSchemas", {
  schema: Type.Unknown({description: "JSON Schema of the configuration file as written"}),
  plugins: Type.Record(
    Type.String(),
    Type.Object({
      config: Type.Unknown({description: "JSON Schema of its `config`; null if it has none"}),
      account: Type.Unknown({description: "JSON Schema of one of its `endpoints`; null if it has none"}),
    }),
    {description: "By the key of each plugin that runs"},
  ),
})

export const showConfigSchema = (current: () => Generation): Operation => ({
  summary: "The schema of the configuration file, and those of the running plugins",
  response: {200: ConfigSchemas},
  handle: (_, call) => {
    const plugins = current().instances.map(({name, plugin, registrations}) => {
      const account = [...registrations.adapters.values()].find(adapter => adapter.account !== undefined)?.account
      return [name, {config: written(plugin.definition.config), account: written(account)}] as const
    })
    return call.json(ConfigSchemas, {schema: configSchema(), plugins: Object.fromEntries(plugins)})
  },
})

const written = (schema: TSchema | undefined) => (schema === undefined ? null : asWritten(schema))
