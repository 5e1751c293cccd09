/** An object from Discord. No field is certain until it is read. */
export type Payload = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the value if it is an object, otherwise an object without fields. */
export const payloadOf = (value: unknown): Payload => (isObject(value) ? value : {})

/** Returns the objects of a list; empty for anything but a list. */
export const payloadsOf = (value: unknown): readonly Payload[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Returns a non-empty text without NUL and without half a Unicode character. */
export const textIn = (payload: Payload, key: string): string | undefined => {
  const value = payload[key]
  if (typeof value !== "string" || value === "") return undefined
  return value.toWellFormed().replaceAll("\0", "")
}

export const numberIn = (payload: Payload, key: string): number | undefined => {
  const value = payload[key]
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

/** An id is a 64-bit integer as text. */
export const isSnowflake = (value: unknown): value is string => typeof value === "string" && /^\d{1,20}$/.test(value)

export const idIn = (payload: Payload, key = "id"): string | undefined => {
  const value = payload[key]
  return isSnowflake(value) ? value : undefined
}

/** The first second of 2015, the epoch of Discord's ids. */
const epoch = 1_420_070_400_000n

/** Returns the creation time in an id, in milliseconds since 1970. */
export const timeOf = (snowflake: string): number => Number((BigInt(snowflake) >> 22n) + epoch)
