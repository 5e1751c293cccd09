import {
  ConfigApplied,
  ConfigFile,
  ConfigPreview,
  ConfigPreviewRequest,
  ConfigRequest,
} from "../../../../shared/api/configuration/file.ts"
import {ConfigForm} from "../../../../shared/api/configuration/form.ts"
import {Named, type Static, type TSchema, Type} from "../../../../shared/type.ts"
import {asWritten, configSchema} from "../../../config/schema.ts"
import type {Generation} from "../../../generation/generation.ts"
import {type PluginNames, readConfigForm} from "../../config-form.ts"
import {apply, type Configuration, preview, type Restarts, readConfigFile} from "../../edit-config.ts"
import {answering, type Operation} from "../../operations.ts"
import {reloadProblems} from "../system.ts"

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

export const showConfigFile = (configuration: Configuration): Operation => ({
  summary: "The configuration file as written, with the hash that a change must send",
  response: {200: ConfigFile},
  problems: ["project_missing", "config_invalid"],
  handle: async (_, call) => call.json(ConfigFile, await readConfigFile(configuration)),
})

export const showConfigForm = (configuration: Configuration, names: PluginNames): Operation => ({
  summary: "The plugins' settings and accounts as written, with their schemas, and the plugins that could be added",
  response: {200: ConfigForm},
  problems: ["project_missing", "config_invalid"],
  handle: async (_, call) => call.json(ConfigForm, await readConfigForm(configuration, names)),
})

export const previewConfig = answering({
  summary: "Preview a change of the configuration file: text, diff and findings; nothing is written",
  body: ConfigPreviewRequest,
  answer: ConfigPreview,
  problems: [
    "config_changed",
    "config_invalid",
    "config_not_editable",
    "plugin_unknown",
    "endpoint_unknown",
    "conflict",
    "project_missing",
  ],
  run: ({body}, configuration: Configuration, {foresee}: Pick<Restarts, "foresee">) =>
    preview(configuration, foresee, body),
})

export const applyConfig = (configuration: Configuration, restarts: Restarts): Operation => ({
  summary: "Try a text as the next generation, write it to the configuration file, and commit it",
  body: ConfigRequest,
  response: {200: ConfigApplied, 202: ConfigApplied},
  problems: ["config_changed", ...reloadProblems, "project_missing"],
  handle: async (_, call) => {
    const asked = (await call.body()) as Static<typeof ConfigRequest>
    const applied = await apply(configuration, restarts, asked)
    return call.json(ConfigApplied, applied, {status: applied.restarting === true ? 202 : 200})
  },
})
