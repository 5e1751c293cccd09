/** An object that Discord has sent: nothing in it is certain until it is read. */
export type Payload = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Of anything else, an object without fields. */
export const payloadOf = (value: unknown): Payload => (isObject(value) ? value : {})

/** The objects of a list; of anything else, none. */
export const payloadsOf = (value: unknown): readonly Payload[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** A text that is not empty, in whole Unicode characters and without NUL. */
export const textIn = (payload: Payload, key: string): string | undefined => {
  const value = payload[key]
  if (typeof value !== "string" || value === "") return undefined
  return value.toWellFormed().replaceAll("\0", "")
}

export const numberIn = (payload: Payload, key: string): number | undefined => {
  const value = payload[key]
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

/** Ids are whole numbers of 64 bits, as text. */
export const isSnowflake = (value: unknown): value is string => typeof value === "string" && /^\d{1,20}$/.test(value)

export const idIn = (payload: Payload, key = "id"): string | undefined => {
  const value = payload[key]
  return isSnowflake(value) ? value : undefined
}

/** The first second of 2015, where Discord's ids begin to count. */
const epoch = 1_420_070_400_000n

/** When a thing was made, in milliseconds since 1970: its id says it. */
export const timeOf = (snowflake: string): number => Number((BigInt(snowflake) >> 22n) + epoch)
