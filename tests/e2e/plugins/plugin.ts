import type {PluginView} from "../../../shared/api/plugin-views.ts"
import type {TestHost} from "../../support/host/host.ts"

export const pluginOf = async (host: TestHost, name: string): Promise<PluginView | undefined> => {
  const {items} = await host.get("/api/plugins", {limit: 500})
  return items.find(plugin => plugin.name === name)
}
