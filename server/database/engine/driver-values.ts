import type {InStatement, ResultSet} from "@libsql/core/api"
import type {SqlValue} from "../../../shared/sdk/session/database.ts"
import {type Result, type Row, type Statement, StatementFailed} from "./engine.ts"
import {ManyRows} from "./many-rows.ts"

/** A libSQL server counts the rows of RETURNING as changes, the file's driver does not. This never counts them. */
export const toResult = ({columns, rows, rowsAffected}: ResultSet): Result => ({
  rows: rows as unknown as Row[],
  changes: columns.length > 0 ? 0 : rowsAffected,
})

/** Throws `TypeError` for a statement that begins or ends a transaction, and a NUL, where the driver cuts a text. */
export const toDriver = ({sql, args = []}: Statement): InStatement => ({sql: within(sql), args: args.map(withoutNul)})

/** After spaces and comments, the words that would store or drop the other batches of a group too. */
const ofTransaction =
  /^(?:[\s;]|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b/i

const within = (sql: string): string => {
  if (ofTransaction.test(sql)) throw new TypeError("only svc begins and ends transactions")
  return sql
}

const withoutNul = <T>(value: T): T => {
  if (typeof value === "string" && value.includes("\0")) throw new TypeError("text with a NUL character")
  return value
}

/** Converts statements. Throws `StatementFailed` before anything is sent. */
export const toDrivers = (statements: readonly Statement[]): InStatement[] => convert(statements, toDriver)

/** A statement with the values for a connection. */
export interface Bound {
  readonly sql: string
  readonly args: readonly unknown[]
}

/** Converts a statement like the client does for its connection. Throws `TypeError`, `RangeError`. */
export const toBound = (statement: Statement): Bound => {
  const bound = statement instanceof ManyRows ? statement.bound() : undefined
  if (bound !== undefined) return {sql: bound.sql, args: bound.args ?? []}
  return {sql: within(statement.sql), args: (statement.args ?? []).map(value => toBindable(withoutNul(value)))}
}

/** The same for several statements. Throws `StatementFailed`. */
export const toAllBound = (statements: readonly Statement[]): Bound[] => convert(statements, toBound)

const convert = <T>(statements: readonly Statement[], to: (statement: Statement) => T): T[] =>
  statements.map((statement, index) => {
    try {
      return to(statement)
    } catch (cause) {
      throw new StatementFailed(index, cause)
    }
  })

const integers = {least: -(2n ** 63n), most: 2n ** 63n - 1n} as const

/** A plugin may pass values that its types forbid. */
const toBindable = (value: unknown): unknown => {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("a number that is not finite")
  if (typeof value === "bigint" && (value < integers.least || value > integers.most))
    throw new RangeError("an integer of more than 64 bits")
  if (value === undefined) throw new TypeError("undefined is not a database value")
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof ArrayBuffer) return Buffer.from(value)
  return value instanceof Date ? value.valueOf() : value
}

/** The columns of a result by name, with their positions. Of two columns with the same name, the first counts. */
export type Columns = readonly (readonly [name: string, place: number])[]

export const toColumns = (names: readonly string[]): Columns =>
  [...new Set(names)].map(name => [name, names.indexOf(name)] as const)

/** Throws `RangeError` for an integer that a JavaScript number cannot represent. */
export const toRow = (columns: Columns, values: readonly unknown[]): Row => {
  const row: Record<string, SqlValue> = {}
  for (const [name, place] of columns) row[name] = fromDriver(values[place])
  return row
}

const fromDriver = (value: unknown): SqlValue => {
  if (value instanceof Buffer) return value.buffer as ArrayBuffer
  if (typeof value !== "bigint") return value as SqlValue
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`the integer ${value} cannot be represented as a JavaScript number`)
}
