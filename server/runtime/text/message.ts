import type {IntlMessageFormat} from "intl-messageformat"
import {messageOf} from "../../../shared/problems.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import type {TextValue, TextValues} from "../../../shared/sdk/text/texts.ts"
import {formatters, isZoned} from "./formatters.ts"

/** A parsed message in one language. */
export interface Message {
  readonly names: ReadonlySet<string>
  /** Throws an `Error` that names a missing value or a value of the wrong type. */
  format(values: TextValues): string
}

/** Text with names in braces, without quoting, choices or formats. */
const plain = /^(?:[^{}']|'(?![{}'<>])|\{\s*[A-Za-z_]\w*\s*\})*$/
const argument = /\{\s*([A-Za-z_]\w*)\s*\}/

const requireValue = (values: TextValues, name: string): TextValue => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined || value === null) throw new Error(`the value of {${name}} is missing`)
  if (typeof value === "string" || typeof value === "number" || value instanceof Date) return value
  throw new Error(`the value of {${name}} is ${typeof value}; expected text, a number or a Date`)
}

/** Parses a message of only text and names, which needs no library. Returns undefined for any other. */
export const plainMessage = (text: string): Message | undefined => {
  if (!plain.test(text)) return undefined
  const parts = text.split(argument)
  const names = new Set(parts.filter((_, index) => index % 2 === 1))
  if (names.size === 0) return {names, format: () => text}
  return {
    names,
    format: values =>
      parts.map((part, index) => (index % 2 === 0 ? part : String(requireValue(values, part)))).join(""),
  }
}

/** Parses an ICU message; its library loads for the first one that is not plain. Rejects with the fault's place. */
export const parseMessage = async (text: string, language: string): Promise<Message> => {
  const simple = plainMessage(text)
  if (simple !== undefined) return simple
  const {IntlMessageFormat} = await import("intl-messageformat")
  const parsed = parseWith(IntlMessageFormat, text, language)
  const names = namesIn(parsed.getAst())
  const dates = namesIn(parsed.getAst(), [3, 4])
  return {
    names,
    format: values => {
      const given = [...names].map(name => {
        const isDate = dates.has(name) && Object.hasOwn(values, name) && isZoned(values[name])
        return [name, isDate ? values[name] : requireValue(values, name)]
      })
      return String(parsed.format(Object.fromEntries(given)))
    },
  }
}

const parseWith = (Library: typeof IntlMessageFormat, text: string, language: string): IntlMessageFormat => {
  try {
    // `<` is text: a message contains no elements.
    return new Library(text, language, undefined, {ignoreTag: true, formatters})
  } catch (error) {
    throw new Error(explain(error), {cause: error})
  }
}

/** The library names an invalid message like `EXPECT_ARGUMENT_CLOSING_BRACE`. */
const explain = (error: unknown): string => {
  const why = messageOf(error)
  const words = /^[A-Z_]+$/.test(why) ? why.toLowerCase().replaceAll("_", " ") : why
  const {line, column} = fieldsOf(fieldsOf(fieldsOf(error).location).start)
  return line === undefined ? words : `${words}, at ${line}:${column} of the message`
}

/** The library's numbers for parts of a message: 0 is text, 3 and 4 are a date and a time. */
const literal = 0

/** Returns the names of the values in parts of these types; in all when left out. */
const namesIn = (nodes: ReturnType<IntlMessageFormat["getAst"]>, types?: readonly number[]): Set<string> =>
  new Set(
    nodes.flatMap(node => {
      const isMeant = types === undefined ? node.type !== literal : types.includes(node.type)
      const own = "value" in node && isMeant ? [node.value] : []
      const inner =
        "options" in node ? Object.values(node.options).flatMap(({value}) => [...namesIn(value, types)]) : []
      return [...own, ...inner]
    }),
  )
