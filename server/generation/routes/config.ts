import {configOperations} from "../../../shared/api/operations/host.ts"
import {Reply, serve} from "../../../shared/api/operations/operation.ts"
import type {TSchema} from "../../../shared/type.ts"
import {asWritten, configSchema} from "../../config/schema.ts"
import type {Generation} from "../generation.ts"
import {type PluginNames, readConfigForm} from "./config-form.ts"
import {apply, type Configuration, preview, type Restarts, readConfigFile} from "./edit-config.ts"

export const configRoutes = (
  current: () => Generation,
  configuration: Configuration,
  names: PluginNames,
  restarts: Restarts,
) =>
  serve(configOperations, {
    show: () => ({config: current().config.config}),
    schema: () => {
      const plugins = current().instances.map(({name, plugin, registrations}) => {
        const account = [...registrations.adapters.values()].find(adapter => adapter.account !== undefined)?.account
        return [name, {config: written(plugin.definition.config), account: written(account)}] as const
      })
      return {schema: configSchema(), plugins: Object.fromEntries(plugins)}
    },
    file: () => readConfigFile(configuration),
    form: () => readConfigForm(configuration, names),
    preview: ({body}) => preview(configuration, restarts.foresee, body),
    apply: async ({body}) => {
      const applied = await apply(configuration, restarts, body)
      return new Reply(applied.restarting === true ? 202 : 200, applied)
    },
  })

const written = (schema: TSchema | undefined) => (schema === undefined ? null : asWritten(schema))
