import {fromJson, toJson} from "../../../shared/json.ts"

/** A text without the secrets in it. */
export type Hide = (text: string) => string

/** The same JSON with nothing in its texts, keys and numbers that `hide` hides. */
export const hideIn = <T>(value: T, hide: Hide): T => hideValue(value, hide) as T

/** The same of JSON, which stays JSON; of a text that is none, as of a text. */
export const hideInJson = (json: string, hide: Hide): string => {
  if (hide(json) === json) return json
  try {
    return toJson(hideIn(fromJson(json), hide))
  } catch {
    return hide(json)
  }
}

const hideValue = (value: unknown, hide: Hide): unknown => {
  if (typeof value === "string") return hide(value)
  if (typeof value === "number") {
    const text = String(value)
    const hidden = hide(text)
    return hidden === text ? value : hidden
  }
  if (Array.isArray(value)) return value.map(each => hideValue(each, hide))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [hide(key), hideValue(each, hide)]))
}
