import {onTestFinished} from "vitest"
import {parseConfig} from "../../../server/config/load.ts"
import type {Database} from "../../../server/database/database.ts"
import type {Snapshot} from "../../../server/generation/generation.ts"
import {buildSnapshot} from "../../../server/generation/snapshot.ts"
import {HostTexts} from "../../../server/messages/texts/host-texts.ts"
import {Instance} from "../../../server/plugins/instance.ts"
import {definePlugin, type Plugin} from "../../../shared/sdk/sdk.ts"
import {log} from "../database/databases.ts"

const config = `
plugins:
  weather: {}
`

/** What the plugin `weather` with this `setup` publishes in a generation. */
export const publishWeather = async (
  database: Database,
  setup: (plugin: Plugin) => void,
): Promise<{readonly instance: Instance; readonly snapshot: Snapshot}> => {
  const plugin = {
    definition: definePlugin({setup}),
    fingerprint: "weather",
    files: [],
    origin: "built-in",
    from: "weather",
    isStale: false,
  } as const
  const instance = new Instance({
    name: "weather",
    plugin,
    config: {},
    fingerprint: "weather",
    project: "/",
    database,
    log,
  })
  onTestFinished(() => instance.dispose(0))
  await instance.setup(new Map())
  instance.activate()
  const loaded = parseConfig({file: "svc.config.yml", text: config, sha256: ""}, {})
  const {snapshot, issues} = buildSnapshot(loaded, [instance], new Map(), new HostTexts(), log)
  if (issues.length > 0) throw new Error(JSON.stringify(issues))
  return {instance, snapshot}
}
