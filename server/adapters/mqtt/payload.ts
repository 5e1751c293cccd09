import {tryParseJson} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"

/** The content of a payload. */
export interface Said {
  readonly text: string
  readonly user?: string
  readonly id?: string
}

type Format = NonNullable<AccountSettings["payload"]>

/** Returns bytes as text; undefined if they are not UTF-8. */
export const textOfBytes = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", {fatal: true, ignoreBOM: true}).decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads a payload in the account's format; undefined if it contains no message. */
export const readPayload = (bytes: Uint8Array, format: Format = {format: "text"}): Said | undefined => {
  const text = textOfBytes(bytes)
  if (text === undefined || text === "") return undefined
  if (format.format === "text") return {text}
  const found = tryParseJson(text)
  const said = at(found, format.text ?? "text")
  if (typeof said !== "string" || said === "") return undefined
  const user = nameOf(at(found, format.user ?? "user"))
  const id = nameOf(at(found, format.id ?? "id"))
  return {text: said, ...(user === undefined ? {} : {user}), ...(id === undefined ? {} : {id})}
}

/** Writes the bot's message in the account's format. A JSON payload has the same keys as a received one. */
export const writePayload = (said: Required<Said>, format: Format = {format: "text"}): string => {
  if (format.format === "text") return said.text
  const payload: Record<string, unknown> = {}
  put(payload, format.id ?? "id", said.id)
  put(payload, format.user ?? "user", said.user)
  put(payload, format.text ?? "text", said.text)
  return JSON.stringify(payload)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce((found: unknown, key) => (isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined), value)

/** An id may be text or a number. */
const nameOf = (value: unknown): string | undefined => {
  const name = typeof value === "number" ? String(value) : value
  return typeof name === "string" && name !== "" && !name.includes("\0") ? name : undefined
}

const put = (payload: Record<string, unknown>, path: string, value: string): void => {
  const keys = path.split(".")
  const last = keys.pop() ?? path
  let place = payload
  for (const key of keys) {
    const next = Object.hasOwn(place, key) ? place[key] : undefined
    const inner = isRecord(next) ? next : {}
    define(place, key, inner)
    place = inner
  }
  define(place, last, value)
}

/** `__proto__` is a key like any other. */
const define = (place: object, key: string, value: unknown): void => {
  Object.defineProperty(place, key, {value, enumerable: true, writable: true, configurable: true})
}
