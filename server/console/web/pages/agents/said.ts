/** A part of what went into a step or came out of it. */
export interface Said {
  /** Who said it, where that is known. */
  readonly by?: string
  readonly text: string
  /** JSON, or whatever else is not prose. */
  readonly isCode: boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object or list that a text is the JSON of; the value itself where it is none. */
const unpacked = (value: unknown): unknown => {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** JSON to be read, with the JSON that stands as text in it: models write arguments so. */
const pretty = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => unpacked(part), 2)

const isMessage = (value: unknown): value is Readonly<Record<string, unknown>> & {readonly role: string} =>
  isObject(value) && typeof value.role === "string"

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** The text as it is, and the rest as JSON. */
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

/** To be read: texts as they are, messages with their role, a reply of the model as its text and the rest, all else as JSON. */
export const saidOf = (given: unknown): readonly Said[] => {
  const value = unpacked(given)
  if (isEmpty(value) || value === "") return []
  if (typeof value === "string") return [{text: value, isCode: false}]
  if (Array.isArray(value) && value.every(isMessage)) return value.flatMap(messageOf)
  if (isObject(value) && typeof value.text === "string" && Array.isArray(value.calls)) return withText(value)
  return [{text: pretty(value), isCode: true}]
}

/** Characters and lines that are shown before somebody asks for all. */
const few = {characters: 1500, lines: 20} as const

/** The beginning of a text; undefined where it is short enough to be shown whole. */
export const beginningOf = (text: string): string | undefined => {
  const lines = text.split("\n", few.lines + 1)
  if (lines.length <= few.lines && text.length <= few.characters) return undefined
  return lines.slice(0, few.lines).join("\n").slice(0, few.characters)
}
