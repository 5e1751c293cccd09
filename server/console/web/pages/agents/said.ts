/** A part of the input or output of a step. */
export interface Said {
  /** The author, if known. */
  readonly by?: string
  readonly text: string
  /** True for JSON and everything else that is not prose. */
  readonly isCode: boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the object or list that a text encodes as JSON; otherwise the value itself. */
const unpacked = (value: unknown): unknown => {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Returns readable JSON. Also unpacks JSON inside strings, because models write arguments so. */
const pretty = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => unpacked(part), 2)

const isMessage = (value: unknown): value is Readonly<Record<string, unknown>> & {readonly role: string} =>
  isObject(value) && typeof value.role === "string"

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** Separates the text from the rest, which is JSON. */
const withText = (value: Readonly<Record<string, unknown>>): readonly Said[] => {
  const {text, ...rest} = value
  const kept = Object.entries(rest).filter(([, each]) => !isEmpty(each))
  return [
    ...(text === "" ? [] : [{text: String(text), isCode: false}]),
    ...(kept.length === 0 ? [] : [{text: pretty(Object.fromEntries(kept)), isCode: true}]),
  ]
}

const messageOf = ({role, ...rest}: Readonly<Record<string, unknown>> & {readonly role: string}): readonly Said[] =>
  (typeof rest.text === "string" ? withText(rest) : [{text: pretty(rest), isCode: true}]).map(said => ({
    by: role,
    ...said,
  }))

/**
 * Returns readable parts: texts as they are, messages with their role, a model's reply as its text and the rest,
 * everything else as JSON.
 */
export const saidOf = (given: unknown): readonly Said[] => {
  const value = unpacked(given)
  if (isEmpty(value) || value === "") return []
  if (typeof value === "string") return [{text: value, isCode: false}]
  if (Array.isArray(value) && value.every(isMessage)) return value.flatMap(messageOf)
  if (isObject(value) && typeof value.text === "string" && Array.isArray(value.calls)) return withText(value)
  return [{text: pretty(value), isCode: true}]
}

/** The characters and lines that are shown before the user asks for all. */
const few = {characters: 1500, lines: 20} as const

/** Returns the beginning of a long text; undefined for a text that is short enough to show in full. */
export const beginningOf = (text: string): string | undefined => {
  const lines = text.split("\n", few.lines + 1)
  if (lines.length <= few.lines && text.length <= few.characters) return undefined
  return lines.slice(0, few.lines).join("\n").slice(0, few.characters)
}
