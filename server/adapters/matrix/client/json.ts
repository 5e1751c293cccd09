/** Reads answers of a homeserver, which may contain anything. */
export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const fieldsIn = (value: Fields, key: string): Fields => fieldsOf(value[key])

/** Returns text that can be stored: whole Unicode characters, without NUL. Undefined for any other type. */
export const textIn = (value: Fields, key: string): string | undefined => {
  const text = value[key]
  return typeof text === "string" ? text.toWellFormed().replaceAll("\0", "") : undefined
}

export const numberIn = (value: Fields, key: string): number | undefined => {
  const number = value[key]
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}

export const listIn = (value: Fields, key: string): readonly unknown[] => {
  const list = value[key]
  return Array.isArray(list) ? list : []
}

export const textsIn = (value: Fields, key: string): readonly string[] =>
  listIn(value, key).filter(each => typeof each === "string")

/** A map that keeps only the latest `most` entries. */
export class Recent<V> {
  readonly #most: number
  readonly #entries = new Map<string, V>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#most) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
