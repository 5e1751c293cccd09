import {fromJson} from "../../../shared/json.ts"
import {messageOf} from "../../../shared/problems.ts"
import {longestKept, readJson} from "../../../shared/sdk/session/values.ts"

/**
 * Returns a tool's result for the model: text, or plain JSON; "done" for nothing. Cuts results longer than 64 Ki
 * characters, with a note. If JSON cannot hold the result, it says why, because the call was made all the same.
 */
export const resultOf = (value: unknown): unknown => {
  if (value === undefined) return "done"
  if (typeof value === "string") return cut(value.toWellFormed())
  let json: string
  try {
    json = readJson("the result", value, "request_invalid")
  } catch (error) {
    return `done, but ${messageOf(error)}`
  }
  return json.length > longestKept ? cut(json) : fromJson(json)
}

/** Returns the beginning of a text that is too long, with a note for the model. */
export const cut = (text: string, most = longestKept): string => {
  if (text.length <= most) return text
  // Drops a surrogate pair that the cut would halve.
  const kept = text.slice(0, most).replace(/[\ud800-\udbff]$/, "")
  return `${kept}\n[Cut: only the first ${kept.length} of ${text.length} characters are shown.]`
}
