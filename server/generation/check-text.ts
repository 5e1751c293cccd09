import type {Variables} from "../config/expand.ts"
import {type ConfigText, parseUnlessSame} from "../config/load.ts"
import {invalid} from "../config/text/source.ts"
import {type DraftOptions, prepareAll} from "./draft.ts"
import type {Generation} from "./generation.ts"
import {endpointsOf} from "./kinds/adapter/endpoints.ts"

/**
 * Checks the keys and values of a configuration, including those of plugins, without running any plugin's `setup`. It
 * checks accounts only for adapters that run. Throws `config_invalid`, `plugin_invalid`, `plugin_missing`,
 * `plugin_timeout`, `stopping`.
 */
export const checkText = async (
  text: ConfigText,
  variables: Variables,
  current: Generation | undefined,
  options: Pick<DraftOptions, "loader" | "signal" | "hide" | "boot">,
): Promise<void> => {
  const loaded = await parseUnlessSame(current?.config ?? options.boot, text, variables, options.signal)
  options.hide(loaded.secrets)
  const prepared = await prepareAll(loaded, options)
  const issues = prepared.flatMap(({name, plugin}) => {
    const running = current?.instances.find(
      each => each.name === name && each.plugin.fingerprint === plugin.fingerprint,
    )
    return running === undefined ? [] : endpointsOf(loaded, running, running.registrations.adapters, () => {}).issues
  })
  if (issues.length > 0) throw invalid(issues)
}
