import {Problem} from "../../../shared/problems.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import type {Texts, TextValues} from "../../../shared/sdk/text/texts.ts"

/** A plugin's own texts, by key only. */
interface Speaker {
  say?(languages: readonly string[], key: string, values: TextValues): string
}

/** Implements `session.t(texts, key, values)`, and `session.t(key, values)` for any text of the plugin. */
export const sayIn = (
  languages: readonly string[],
  plugin: Speaker | undefined,
  first: string | Texts,
  rest: readonly unknown[],
): string => {
  if (typeof first !== "string") {
    const [key, values] = rest
    return first.in(...languages)(String(key), fieldsOf(values) as TextValues)
  }
  if (plugin?.say === undefined) throw new Problem("text_unknown", `there is no text "${first}"`)
  return plugin.say(languages, first, fieldsOf(rest[0]) as TextValues)
}
