import {isDeepStrictEqual} from "node:util"
import {read, withValue} from "./edit/text.ts"

/**
 * A configuration with `plugins.<name>.enabled` set, and every other character as it was. Undefined where the text does
 * not allow that, as where the entry is an alias, or others are, and where there is no such plugin.
 */
export const withEnabled = (text: string, name: string, enabled: boolean): string | undefined => {
  const {plugins} = settingsIn(text)
  if (plugins == null || !Object.hasOwn(plugins, name)) return undefined
  return withValue(text, ["plugins", name, "enabled"], enabled, true)
}

/** Do two configurations say the same, where a plugin is enabled that is not said to be disabled? */
export const saysTheSame = (one: string, other: string): boolean =>
  isDeepStrictEqual(withoutDefaults(settingsIn(one)), withoutDefaults(settingsIn(other)))

interface Settings {
  readonly plugins?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null
}

const settingsIn = (text: string): Settings => (read(text) as Settings | undefined) ?? {}

const withoutDefaults = ({plugins, ...others}: Settings) => ({
  ...others,
  plugins: Object.fromEntries(
    Object.entries(plugins ?? {}).map(([name, entry]) => {
      const {enabled = true, ...rest} = entry ?? {}
      return [name, {...rest, enabled}]
    }),
  ),
})
