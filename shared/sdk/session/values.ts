import {deepestJson, nestsDeeper, toJson} from "../../json.ts"
import {messageOf, Problem, type ProblemCode} from "../../problems.ts"
import type {Statement} from "./database.ts"

/** The longest key, in characters. */
const longestKey = 200

/** The last time that a Date can hold, in milliseconds since 1970 (ECMA-262, Time Values). */
export const lastTime = 8.64e15

/** The most characters of a JSON value that a plugin stores (state, data of timers and of jobs). */
export const longestKept = 64 * 1024

/** The deepest nesting of a stored value: that of JSON from elsewhere, and what its receiver puts around it. */
const deepestKept = deepestJson + 16

/** Returns the fields of a value, or none if it is not an object. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** Returns whether the database keeps a text unchanged: it is not empty and has no NUL and no half surrogate pair. */
export const isId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && !value.includes("\0") && value.isWellFormed()

/** Returns a plugin's time in milliseconds since 1970, rounded up; undefined if it is not a time. */
export const readTime = (at: unknown): number | undefined => {
  const time = at instanceof Date ? at.getTime() : at
  return typeof time === "number" && Math.abs(time) <= lastTime ? Math.ceil(time) : undefined
}

/** Reads the key of a message or a timer. Throws a problem with `code` if it is not valid. */
export const readKey = (key: unknown, code: ProblemCode): string | undefined => {
  if (key === undefined) return undefined
  if (isId(key) && key.length <= longestKey) return key
  throw new Problem(code, `key must be text of 1 to ${longestKey} characters, well-formed Unicode without NUL`)
}

/** Returns a value as JSON. Throws a problem with `code` if it has none (a circle, a BigInt) or nests too deeply. */
export const readJson = (what: string, value: unknown, code: ProblemCode): string => {
  let why = `it is ${typeof value}`
  try {
    const text: string | undefined = toJson(value)
    if (text !== undefined && !nestsDeeper(text, deepestKept)) return text
    if (text !== undefined) why = `it nests deeper than ${deepestKept} levels`
  } catch (error) {
    why = messageOf(error)
  }
  throw new Problem(code, `${what} cannot be kept as JSON: ${why}`)
}

/** Returns a plugin's statements. Throws `database_refused` if their form is wrong; the database checks the values. */
export const readStatements = (statements: readonly Statement[]): readonly Statement[] => {
  if (!Array.isArray(statements)) throw refusal("expected a list of statements")
  for (const each of statements) {
    const {sql, args} = fieldsOf(each)
    if (typeof sql !== "string" || sql.trim() === "") throw refusal("each statement needs its text in sql")
    if (args !== undefined && !Array.isArray(args))
      throw refusal("args must be a list of values, one for each ? of the statement")
  }
  return statements
}

const refusal = (why: string): Problem => new Problem("database_refused", why)
