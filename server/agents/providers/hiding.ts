import {fromJson, toJson} from "../../../shared/json.ts"

/** Returns a text without the secrets in it. */
export type Hide = (text: string) => string

/** Hides secrets in the texts, keys and numbers of a JSON value. */
export const hideIn = <T>(value: T, hide: Hide): T => hideValue(value, hide) as T

/** Hides secrets in JSON text, which stays JSON. Any other text is treated as plain text. */
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
