import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import type {DeclaredHears} from "../declarations/declared.ts"

/** The most patterns of a plugin. Each message is matched against all of them. */
const mostPatterns = 100

/** Reads the arguments of `hears`: from JavaScript they may be anything. `declared`: the plugin's patterns so far. */
export const readHears = (
  pattern: unknown,
  definition: unknown,
  handle: unknown,
  declared: number,
): Omit<DeclaredHears, "id"> => {
  if (typeof pattern !== "string" && !(pattern instanceof RegExp))
    throw new TypeError("hears() needs a pattern first: a regular expression, or its source as a string")
  const shown = typeof pattern === "string" ? `"${pattern}"` : String(pattern)
  if (typeof handle !== "function") throw new TypeError(`hears(${shown}) needs a handler`)
  if (declared >= mostPatterns)
    throw new Error(`hears(): a plugin may have at most ${mostPatterns} patterns; join some with |, or use plugin.on`)
  return {
    pattern,
    shown,
    definition: fieldsOf(definition),
    handle: handle as DeclaredHears["handle"],
    at: new Error("declared here"),
  }
}
