import {isScalar, Scalar, stringify} from "yaml"
import {toJson} from "../../../shared/json.ts"

/** On one line each: what a line is put in front of or behind stays where it is. */
const options = {
  lineWidth: 0,
  blockQuote: false,
  singleQuote: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  aliasDuplicateObjects: false,
} as const

/** A value on one line, as it may stand between brackets. */
export const inFlow = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inFlow).join(", ")}]`
  if (typeof value !== "object" || value === null) return typeof value === "string" ? word(value) : onOneLine(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `${word(key)}: ${inFlow(item)}`)
    .join(", ")}}`
}

/** Text without quotes where nothing between brackets could take it for something else. */
const word = (text: string): string =>
  /^[a-zA-Z][\w./ -]*\w$|^[a-zA-Z]$/.test(text) && onOneLine(text) === text ? text : toJson(text)

/** A value that is a scalar or has nothing in it, as it may stand behind a key on its own line. */
export const onOneLine = (value: unknown, former?: unknown): string => {
  if (typeof value !== "string") return withoutLineEnd(stringify(value, options))
  const scalar = new Scalar(value)
  if (isScalar(former) && (former.type === "QUOTE_DOUBLE" || former.type === "QUOTE_SINGLE") && !/[\n\r]/.test(value))
    scalar.type = former.type
  return withoutLineEnd(stringify(scalar, options))
}

/** The lines of a mapping or a list that has something in it, without an indent. */
export const asLines = (value: unknown): readonly string[] => withoutLineEnd(stringify(value, options)).split("\n")

/** Does a value need lines of its own in a block? */
export const needsLines = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0

const withoutLineEnd = (text: string): string => text.replace(/\n$/, "")
