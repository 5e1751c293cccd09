export type Fields = Readonly<Record<string, unknown>>

/** Returns an object from outside; empty if the value is not an object. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns non-empty text. Some servers write ids as numbers. */
export const textIn = (fields: Fields, key: string): string | undefined => {
  const value = fields[key]
  if (typeof value === "number") return String(value)
  return typeof value === "string" && value !== "" ? value : undefined
}

export const numberIn = (fields: Fields, key: string): number | undefined => {
  const value = fields[key]
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}
