import type {LoadedConfig} from "../config/load.ts"
import type {Draft} from "./draft.ts"
import type {Generation} from "./generation.ts"
import {fingerprintOf} from "./snapshot.ts"

/** Keys that the process takes once, at its start. */
const fixedKeys = (loaded: LoadedConfig): Record<string, unknown> => {
  const {http, database, workroom} = loaded.config
  return {
    "http.host": http.host,
    "http.port": http.port,
    "http.base": http.base,
    "http.token": http.token,
    "http.demoToken": http.demoToken,
    database,
    "workroom.store": workroom.store,
  }
}

/** What of a draft the running process cannot take over. */
export const restartReasons = (current: Generation | undefined, draft: Draft, mayChangeCode: boolean): string[] => {
  if (current === undefined) return []
  const before = fixedKeys(current.config)
  const keys = Object.entries(fixedKeys(draft.config))
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
