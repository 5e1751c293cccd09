import {onTestFinished} from "vitest"
import type {Variables} from "../../../server/config/expand.ts"
import {parseConfig} from "../../../server/config/load.ts"
import type {Database} from "../../../server/database/database.ts"
import type {Snapshot} from "../../../server/generation/generation.ts"
import {Instance} from "../../../server/generation/instances/instance.ts"
import {buildSnapshot} from "../../../server/generation/snapshot.ts"
import {HostTexts} from "../../../server/messages/texts/host-texts.ts"
import {definePlugin, type Plugin, type PluginDefinition} from "../../../shared/sdk/sdk.ts"
import {log} from "../database/databases.ts"

/** What a plugin publishes in a generation whose configuration has only its entry. */
export const publish = async (
  database: Database,
  name: string,
  {definition, entry = {}, variables = {}}: {definition: PluginDefinition; entry?: object; variables?: Variables},
): Promise<{readonly instance: Instance; readonly snapshot: Snapshot}> => {
  const plugin = {definition, fingerprint: name, files: [], origin: "built-in", from: name, isStale: false} as const
  const instance = new Instance({name, plugin, config: {}, fingerprint: name, project: "/", database, log})
  onTestFinished(() => instance.dispose(0))
  await instance.setup(new Map())
  instance.activate()
  const text = JSON.stringify({plugins: {[name]: entry}})
  const loaded = parseConfig({file: "svc.config.yml", text, sha256: ""}, variables)
  const {snapshot, issues} = buildSnapshot(loaded, [instance], new Map(), new HostTexts(), log)
  if (issues.length > 0) throw new Error(JSON.stringify(issues))
  return {instance, snapshot}
}

/** What the plugin `weather` with this `setup` publishes in a generation. */
export const publishWeather = (database: Database, setup: (plugin: Plugin) => void): ReturnType<typeof publish> =>
  publish(database, "weather", {definition: definePlugin({setup})})
