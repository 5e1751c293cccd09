import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {read, withValue} from "../config/edit/text.ts"
import {readConfigText} from "../config/load.ts"
import {replaceKeepingMode} from "./new-plugin.ts"

/**
 * Adds plugins with their entries to the configuration, except those whose name it already has, or uses in another entry.
 * Resolves to the names of the added ones: none if the file cannot be read, edited or written.
 */
export const addEntries = async (
  config: string,
  plugins: readonly {readonly name: string; readonly entry: unknown}[],
): Promise<readonly string[]> => {
  try {
    const {text} = await readConfigText(config)
    const present = Object.entries(fieldsOf(fieldsOf(read(text)).plugins))
    const taken = present.flatMap(([name, entry]) => [name, fieldsOf(entry).use])
    let edited = text
    const added = plugins.flatMap(({name, entry}) => {
      const next = taken.includes(name) ? undefined : withValue(edited, ["plugins", name], entry)
      edited = next ?? edited
      return next === undefined ? [] : [name]
    })
    if (added.length > 0) await replaceKeepingMode(config, edited)
    return added
  } catch {
    return []
  }
}
