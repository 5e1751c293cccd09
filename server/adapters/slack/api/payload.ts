/** Data from Slack that is not validated yet. */
export type Payload = Readonly<Record<string, unknown>>

/** Returns an object's fields; empty for any other value. */
export const payloadOf = (value: unknown): Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Payload) : {}

/** Returns non-empty text; undefined for anything else. */
export const textIn = (payload: Payload, key: string): string | undefined => {
  const value = payload[key]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Returns the objects of a list; empty for anything but a list. */
export const payloadsIn = (payload: Payload, key: string): readonly Payload[] => {
  const value = payload[key]
  return Array.isArray(value) ? value.map(payloadOf) : []
}

const id = /^[A-Z][A-Z0-9]{1,40}$/

/** Returns a Slack id, such as U024BE7LH. */
export const idIn = (payload: Payload, key: string): string | undefined => {
  const value = textIn(payload, key)
  return value !== undefined && id.test(value) ? value : undefined
}

const timestamp = /^\d{1,12}\.\d{1,9}$/

/** Whether this is the `ts` of a message. */
export const isTs = (value: unknown): value is string => typeof value === "string" && timestamp.test(value)

export const tsIn = (payload: Payload, key: string): string | undefined => {
  const value = payload[key]
  return isTs(value) ? value : undefined
}

/** Returns milliseconds since 1970. */
export const timeOf = (ts: string): number => Math.floor(Number(ts) * 1000)
