import {createHmac, createSecretKey, randomBytes, timingSafeEqual} from "node:crypto"
import {fromJson, toJson} from "../../../shared/json.ts"
import type {Element} from "../../../shared/sdk/content/elements.ts"

/** The data of an action's button, kept in its id until its message is stored: `button-schema.ts` reads it there. */
export interface Made {
  /** The id of the action: `root/<plugin>/action/<name>`. */
  readonly handler: string
  /** JSON. */
  readonly data: string
  /** Milliseconds; `lasting` for ever. */
  readonly expires: number
  readonly once: 0 | 1
  /** Only the user whom the message answers may press it. */
  readonly asked: 0 | 1
}

/** The wait of a button that lasts, in milliseconds. Its end is later than this, and a time that a Date still holds. */
export const lasting = 8e15

const start = "action:"

/**
 * A key for this run: an id is valid only for messages stored in the same run. A plugin that repeats foreign content
 * cannot forge an id. It is a key object, because Node 24 needs 14 µs to create one from bytes.
 */
const key = createSecretKey(randomBytes(32))

/** 43 characters. */
const sign = (text: string): string => createHmac("sha256", key).update(text).digest("base64url")

export const makeButtonId = (made: Made): string => {
  const text = toJson(made)
  return `${start}${sign(text)}${text}`
}

/** Whether a button belongs to an action, as sent and as stored. Others belong to the platform or an application. */
export const isActionButton = ({type, attrs}: Element): boolean =>
  type === "button" && typeof attrs.id === "string" && attrs.id.startsWith(start)

/** Returns the data of an action's button; undefined if this run did not create it. */
export const readButtonId = (id: string): Made | undefined => {
  const signature = id.slice(start.length, start.length + 43)
  const text = id.slice(start.length + 43)
  const right = Buffer.from(sign(text))
  const given = Buffer.from(signature)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  // This run signed the text.
  return fromJson(text) as Made
}

/** Returns the id that a platform gets: short (some platforms allow 64 bytes) and meaningless to the platform. */
export const platformIdOf = (message: string, n: number): string => `${message}:${n}`

/** Returns the message and the number that such an id names; undefined for the id of another button. */
export const readPlatformId = (id: string): {readonly message: string; readonly n: number} | undefined => {
  const [, message, n] = /^([0-9a-f-]{36}):([1-9]\d{0,4})$/.exec(id) ?? []
  return message === undefined ? undefined : {message, n: Number(n)}
}

/** Returns the same for the id of a press: that of its button, a colon, and what tells it from other presses. */
export const readPress = (id: string) => readPlatformId(id.split(":", 2).join(":"))
