import {isDeepStrictEqual} from "node:util"
import {read, withValue} from "./edit/text.ts"

/** Changes no other character. Undefined without this plugin, or if the text does not allow it (an alias). */
export const withEnabled = (text: string, name: string, enabled: boolean): string | undefined => {
  const {plugins} = settingsIn(text)
  if (plugins == null || !Object.hasOwn(plugins, name)) return undefined
  return withValue(text, ["plugins", name, "enabled"], enabled, true)
}

/** Do two configurations have the same meaning, where a plugin is enabled unless the configuration disables it? */
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
