import {isScalar, Scalar, stringify} from "yaml"
import {toJson} from "../../../shared/json.ts"

/** Each value on one line, so that text inserted before or after the line does not change the value. */
const options = {
  lineWidth: 0,
  blockQuote: false,
  singleQuote: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  aliasDuplicateObjects: false,
} as const

/** Returns a value on one line, in the form for use between brackets. */
export const inFlow = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inFlow).join(", ")}]`
  if (typeof value !== "object" || value === null) return typeof value === "string" ? word(value) : onOneLine(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `${word(key)}: ${inFlow(item)}`)
    .join(", ")}}`
}

/** Returns the text without quotes if YAML between brackets cannot read it as something else. */
const word = (text: string): string =>
  /^[a-zA-Z][\w./ -]*\w$|^[a-zA-Z]$/.test(text) && onOneLine(text) === text ? text : toJson(text)

/** Returns a scalar or an empty collection, in the form for use behind a key on the same line. */
export const onOneLine = (value: unknown, former?: unknown): string => {
  if (typeof value !== "string") return withoutLineEnd(stringify(value, options))
  const scalar = new Scalar(value)
  if (isScalar(former) && (former.type === "QUOTE_DOUBLE" || former.type === "QUOTE_SINGLE") && !/[\n\r]/.test(value))
    scalar.type = former.type
  return withoutLineEnd(stringify(scalar, options))
}

/** Returns the lines of a mapping or a list that is not empty, without an indent. */
export const asLines = (value: unknown): readonly string[] => withoutLineEnd(stringify(value, options)).split("\n")

/** Does a value need separate lines in a block? */
export const needsLines = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0

const withoutLineEnd = (text: string): string => text.replace(/\n$/, "")
