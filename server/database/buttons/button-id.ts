import {createHmac, randomBytes, timingSafeEqual} from "node:crypto"
import {fromJson, toJson} from "../../../shared/json.ts"
import type {Element} from "../../../shared/sdk/elements.ts"

/** What a button of an action keeps, from when it is made until its message is stored (`button-schema.ts` reads it there). */
export interface Made {
  /** The id of the action: `root/<plugin>/action/<name>`. */
  readonly handler: string
  /** JSON. */
  readonly data: string
  /** Milliseconds. */
  readonly expires: number
  readonly once: 0 | 1
  /** Only the user whom the message answers may press it. */
  readonly asked: 0 | 1
}

const start = "action:"

/** Of this run: an id is for messages that are stored in it. Nobody else makes one, whatever content a plugin repeats. */
const key = randomBytes(32)

/** 43 characters. */
const sign = (text: string): string => createHmac("sha256", key).update(text).digest("base64url")

export const makeButtonId = (made: Made): string => {
  const text = toJson(made)
  return `${start}${sign(text)}${text}`
}

/** The button of an action, as plugins send it and its message is stored; others are the platform's, or an application's. */
export const isActionButton = ({type, attrs}: Element): boolean =>
  type === "button" && typeof attrs.id === "string" && attrs.id.startsWith(start)

/** What such a button keeps; undefined where this run did not make it. */
export const readButtonId = (id: string): Made | undefined => {
  const signature = id.slice(start.length, start.length + 43)
  const text = id.slice(start.length + 43)
  const right = Buffer.from(sign(text))
  const given = Buffer.from(signature)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  // Signed by this run.
  return fromJson(text) as Made
}

/** The id that a platform gets: short (of at most 64 bytes on some), and of no meaning to it. */
export const platformIdOf = (message: string, n: number): string => `${message}:${n}`

/** The message and the number that such an id names; undefined for the id of another button. */
export const readPlatformId = (id: string): {readonly message: string; readonly n: number} | undefined => {
  const [, message, n] = /^([0-9a-f-]{36}):([1-9]\d{0,4})$/.exec(id) ?? []
  return message === undefined ? undefined : {message, n: Number(n)}
}
