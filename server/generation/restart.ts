import type {LoadedConfig} from "../config/load.ts"
import type {Draft} from "./draft.ts"
import type {Generation} from "./generation.ts"
import {fingerprintOf} from "./kinds/adapter/endpoints.ts"

/** The keys that the process reads only at startup. An expired previous token counts as none. */
const fixedKeys = (loaded: LoadedConfig, now: number): Record<string, unknown> => {
  const {http, database, workroom, runtime, watchdog} = loaded.config
  const {previousToken} = http
  return {
    "http.host": http.host,
    "http.port": http.port,
    "http.base": http.base,
    "http.connections": http.connections,
    "http.token": http.token,
    "http.previousToken":
      previousToken === undefined || Date.parse(previousToken.until) <= now ? undefined : previousToken,
    "http.demoToken": http.demoToken,
    database,
    "workroom.store": workroom.store,
    runtime,
    watchdog,
  }
}

/** Returns what in a draft needs a restart, at a time in milliseconds since 1970. */
export const restartReasons = (
  current: Generation | undefined,
  draft: Draft,
  mayChangeCode: boolean,
  now = Date.now(),
): string[] => {
  if (current === undefined) return []
  const before = fixedKeys(current.config, now)
  const keys = Object.entries(fixedKeys(draft.config, now))
    .filter(([key, value]) => fingerprintOf({value}) !== fingerprintOf({value: before[key]}))
    .map(([key]) => key)
  if (mayChangeCode) return keys
  const code = draft.fresh
    .filter(({name, plugin}) => {
      const running = current.instances.find(instance => instance.name === name)
      return running !== undefined && running.plugin.fingerprint !== plugin.fingerprint
    })
    .map(({name}) => `the code of plugins.${name}`)
  return [...keys, ...code]
}
