import {Problem} from "../../../shared/problems.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import type {Texts, TextValues} from "../../../shared/sdk/text/texts.ts"

/** Implements `session.t(texts, key, values)`, and `session.t(key, values)` for any text of the plugin. */
export const sayIn = (
  languages: readonly string[],
  plugin: {say?(languages: readonly string[], key: string, values: unknown): string} | undefined,
  first: string | Texts,
  rest: readonly unknown[],
): string => {
  if (typeof first === "string") {
    if (plugin?.say === undefined) throw new Problem("text_unknown", `there is no text "${first}"`)
    return plugin.say(languages, first, rest[0])
  }
  if (typeof fieldsOf(first).in !== "function")
    throw new Problem("text_unknown", "t() needs the result of plugin.texts, or a text's key, as its first argument")
  const [key, values] = rest
  // The texts check the values.
  return first.in(...languages)(String(key), values as TextValues)
}
