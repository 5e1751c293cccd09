import {isDeepStrictEqual} from "node:util"
import {isMap, isScalar, parseDocument, type YAMLMap} from "yaml"

/**
 * A configuration with `plugins.<name>.enabled` set, and every other character as it was. Undefined where the text does
 * not allow that, as where the entry is an alias, or others are.
 */
export const withEnabled = (text: string, name: string, enabled: boolean): string | undefined => {
  const entry: unknown = parseDocument(text).getIn(["plugins", name], true)
  const edited = isMap(entry)
    ? inMap(text, entry, enabled)
    : isScalar(entry) && entry.value === null
      ? put(text, entry.range, ` {enabled: ${enabled}}`)
      : undefined
  return edited !== undefined && isDeepStrictEqual(read(edited), asked(text, name, enabled)) ? edited : undefined
}

/** Do two configurations say the same, where a plugin is enabled that is not said to be disabled? */
export const saysTheSame = (one: string, other: string): boolean =>
  isDeepStrictEqual(withoutDefaults(read(one)), withoutDefaults(read(other)))

const inMap = (text: string, entry: YAMLMap, enabled: boolean): string | undefined => {
  const present: unknown = entry.get("enabled", true)
  if (isScalar(present)) return put(text, present.range, String(enabled))
  const start = entry.range?.[0]
  if (start === undefined) return undefined
  if (entry.flow === true)
    return put(text, [start + 1, start + 1], `enabled: ${enabled}${entry.items.length > 0 ? ", " : ""}`)
  const indent = " ".repeat(start - text.lastIndexOf("\n", start - 1) - 1)
  return put(text, [start, start], `enabled: ${enabled}\n${indent}`)
}

type Between = readonly [start: number, end: number, ...rest: number[]]

const put = (text: string, between: Between | null | undefined, what: string): string | undefined =>
  between == null ? undefined : `${text.slice(0, between[0])}${what}${text.slice(between[1])}`

interface Settings {
  readonly plugins?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>>
}

const read = (text: string): Settings => parseDocument(text).toJS({maxAliasCount: 100}) ?? {}

/** What the edited text has to say. */
const asked = (text: string, name: string, enabled: boolean): Settings => {
  const settings = read(text)
  return {...settings, plugins: {...settings.plugins, [name]: {...settings.plugins?.[name], enabled}}}
}

const withoutDefaults = ({plugins = {}, ...others}: Settings) => ({
  ...others,
  plugins: Object.fromEntries(
    Object.entries(plugins).map(([name, entry]) => {
      const {enabled = true, ...rest} = entry ?? {}
      return [name, {...rest, enabled}]
    }),
  ),
})
