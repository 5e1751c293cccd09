/** What may stay as it is in a recording of one platform. Everything else is masked. */
export interface Words {
  /** Texts that stay, by key: words of the protocol, never words of people. */
  readonly texts: Readonly<Record<string, readonly string[]>>
  /** Whole numbers that stay, by key, up to this one. */
  readonly numbers: Readonly<Record<string, number>>
  /** The start of an id that says what it is the id of, such as `C` for a channel. */
  readonly idStart?: RegExp
}

/** Returns the words of a text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** A word of a protocol. Other keys, such as ids, are masked. */
const protocolKey = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

/** A key, or a text or number below a key, that is not a word of the protocol. */
export type Visit = (value: string | number) => string | number

const isWord = (known: Words, key: string, value: string | number): boolean =>
  typeof value === "string"
    ? value === "" || (Object.hasOwn(known.texts, key) && known.texts[key]?.includes(value) === true)
    : Object.hasOwn(known.numbers, key) && value >= 0 && value <= (known.numbers[key] ?? 0)

/** Returns a JSON value in which `visit` has replaced everything that is not a word of the protocol. */
export const walk = (value: unknown, known: Words, visit: Visit, key = ""): unknown => {
  if (typeof value === "string" || typeof value === "number") return isWord(known, key, value) ? value : visit(value)
  if (Array.isArray(value)) return value.map(item => walk(item, known, visit, key))
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, item]) => {
    const shown = protocolKey.test(name) ? name : String(visit(name))
    return [shown, walk(item, known, visit, name)] as const
  })
  return Object.fromEntries(entries)
}
