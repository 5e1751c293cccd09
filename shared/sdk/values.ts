import {toJson} from "../json.ts"
import {messageOf, Problem, type ProblemCode} from "../problems.ts"
import type {Statement} from "./plugin/database.ts"

/** A key may have so many characters. */
const longestKey = 200

/** The last time that a Date can hold, in milliseconds since 1970 (ECMA-262, Time Values). */
export const lastTime = 8.64e15

/** Of what plugins have kept as JSON (state, data of timers and of jobs) a value has at most these characters. */
export const longestKept = 64 * 1024

/** The fields of what may be no object; of such a value, none. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** Text that the database keeps as it is: not empty, without NUL, and without half a surrogate pair. */
export const isId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && !value.includes("\0") && value.isWellFormed()

/** A time that plugins in JavaScript may get wrong, in milliseconds since 1970; undefined where it is none. */
export const readTime = (at: unknown): number | undefined => {
  const time = at instanceof Date ? at.getTime() : at
  return typeof time === "number" && Math.abs(time) <= lastTime ? Math.ceil(time) : undefined
}

/** Reads the key of a message or a timer, which plugins in JavaScript may get wrong; throws a problem with `code`. */
export const readKey = (key: unknown, code: ProblemCode): string | undefined => {
  if (key === undefined) return undefined
  if (isId(key) && key.length <= longestKey) return key
  throw new Problem(code, `key is text of 1 to ${longestKey} characters, without NUL and in whole Unicode characters`)
}

/** What plugins hand over to be kept, as JSON. Throws a problem with `code` for what has none: a circle, a BigInt, a function. */
export const readJson = (what: string, value: unknown, code: ProblemCode): string => {
  let why = `it is ${typeof value}`
  try {
    const text: string | undefined = toJson(value)
    if (text !== undefined) return text
  } catch (error) {
    why = messageOf(error)
  }
  throw new Problem(code, `${what} cannot be kept as JSON: ${why}`)
}

/** Statements that plugins in JavaScript may get wrong; throws `database_refused`. What the values are the database judges. */
export const readStatements = (statements: readonly Statement[]): readonly Statement[] => {
  if (!Array.isArray(statements)) throw refusal("the database takes a list of statements")
  for (const each of statements) {
    const {sql, args} = fieldsOf(each)
    if (typeof sql !== "string" || sql.trim() === "") throw refusal("a statement has its text in sql")
    if (args !== undefined && !Array.isArray(args))
      throw refusal("args is a list of values, one for each ? of the statement")
  }
  return statements
}

const refusal = (why: string): Problem => new Problem("database_refused", why)
