import {fromJson} from "../../../shared/json.ts"
import {messageOf} from "../../../shared/problems.ts"
import {longestKept, readJson} from "../../../shared/sdk/values.ts"

/**
 * What svc tells a model of a tool's result: text, or plain JSON; "done" for nothing. What is longer than
 * 64 Ki characters is cut, and says so. Of what JSON cannot hold it says why: the call was made all the same.
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

/** The beginning of a text that is too long, with a note for the model. */
export const cut = (text: string, most = longestKept): string => {
  if (text.length <= most) return text
  // A pair that the cut has halved is left out.
  const kept = text.slice(0, most).replace(/[\ud800-\udbff]$/, "")
  return `${kept}\n[Cut: only the first ${kept.length} of ${text.length} characters are shown.]`
}
