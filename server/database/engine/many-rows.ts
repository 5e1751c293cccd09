import type {SqlValue, Statement} from "../../../shared/sdk/session/database.ts"
import {type JsonRows, jsonRows} from "./json-rows.ts"

type RowOf<Column extends string> = Readonly<Record<Column, SqlValue>>

/** A few sizes, so that the statement of each stays prepared. Missing rows are NULL in every column. */
const sizes = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]

/** In characters. A prepared statement keeps its values until it runs again, so longer texts go as JSON. */
const longest = 256 * 1024

/** The text of a statement in its forms, each created once. */
interface Form<Column extends string> {
  readonly columns: readonly Column[]
  readonly json: JsonRows<Column>
  readonly sql: string
  textFor(size: number): string
}

/** A statement for many rows. By default it takes them as JSON, which any database supports. */
export class ManyRows<Column extends string = string> implements Statement {
  readonly #form: Form<Column>
  readonly #rows: readonly RowOf<Column>[]
  readonly #others: readonly SqlValue[]

  constructor(form: Form<Column>, rows: readonly RowOf<Column>[], others: readonly SqlValue[]) {
    this.#form = form
    this.#rows = rows
    this.#others = others
  }

  get sql(): string {
    return this.#form.sql
  }

  get args(): readonly SqlValue[] {
    return [...this.#others, this.#form.json.encode(this.#rows)]
  }

  /**
   * The same statement with a parameter for each value. Once prepared, it costs a file 0.7 of the JSON form. Undefined
   * for too many rows, for texts that are too long, and for a text with a NUL: the driver would cut it there, while
   * JSON escapes it.
   */
  bound(): Statement | undefined {
    const {columns} = this.#form
    const size = sizes.find(each => each >= this.#rows.length)
    if (size === undefined) return undefined
    const args = [...this.#others]
    let characters = 0
    for (const row of this.#rows) {
      for (const column of columns) {
        const value = row[column]
        if (typeof value === "string") {
          characters += value.length
          if (characters > longest || value.includes("\0")) return undefined
        }
        args.push(typeof value === "boolean" ? Number(value) : value)
      }
    }
    for (let missing = (size - this.#rows.length) * columns.length; missing > 0; missing--) args.push(null)
    return {sql: this.#form.textFor(size), args}
  }
}

/**
 * Returns a statement for rows with these columns; the first column must not be NULL. `make` receives the text after
 * FROM. Other values of the statement are its parameters ?1 to ?`others`, from the second argument of the returned
 * function.
 */
export const manyRows = <const Column extends string>(
  columns: readonly Column[],
  make: (source: string) => string,
  others = 0,
): ((rows: readonly RowOf<Column>[], values?: readonly SqlValue[]) => ManyRows<Column>) => {
  const json = jsonRows(columns, others + 1)
  const texts = new Map<number, string>()
  const textFor = (size: number): string => {
    const text = texts.get(size) ?? make(sourceOf(columns, size, others + 1))
    texts.set(size, text)
    return text
  }
  const form = {columns, json, sql: make(json.source), textFor}
  return (rows, values = []) => new ManyRows(form, rows, values)
}

const sourceOf = (columns: readonly string[], size: number, first: number): string => {
  const named = columns.map((column, place) => `column${place + 1} AS "${column}"`).join(", ")
  // Each parameter without a number follows the previous one.
  const others = ",?".repeat(columns.length - 1)
  const rows = `(?${first}${others})${`,(?${others})`.repeat(size - 1)}`
  return `(SELECT ${named} FROM (VALUES ${rows}) WHERE column1 IS NOT NULL)`
}
