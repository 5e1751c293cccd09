import {Problem} from "../../shared/problems.ts"
import type {Row, RowOf} from "../../shared/sdk/plugin/database.ts"
import type {TSchema} from "../../shared/type.ts"
import {explainUnseen} from "../config/explain.ts"

/** Reads rows by their schema, if there is one. Throws `row_invalid`; `what` says whose rows they are. */
export const fitRows = <S extends TSchema | undefined>(
  rows: readonly Row[],
  schema: S | undefined,
  what: string,
): readonly RowOf<S>[] => {
  if (schema === undefined) return rows as readonly RowOf<S>[]
  const switches = booleansOf(schema)
  return rows.map((row, index) => {
    const read = withBooleans(row, switches)
    const [wrong] = explainUnseen(schema, read)
    if (wrong === undefined) return read as RowOf<S>
    const column = wrong.path.length === 0 ? "the row" : `column ${wrong.path.join(".")}`
    throw new Problem("row_invalid", `${what}: ${column}: ${wrong.message} (row ${index + 1} of ${rows.length})`)
  })
}

interface Shape {
  readonly type?: string
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
}

/** Returns the columns that a schema wants as booleans; SQLite stores them as 0 and 1. */
const booleansOf = (schema: TSchema): readonly string[] =>
  Object.entries((schema as Shape).properties ?? {}).flatMap(([name, shape]) => (takesBoolean(shape) ? [name] : []))

/**
 * Returns whether a column is a boolean or a nullable boolean. If the schema also accepts numbers, a number stays a
 * number.
 */
const takesBoolean = ({type, anyOf = []}: Shape): boolean =>
  type === "boolean" || (anyOf.some(takesBoolean) && anyOf.every(each => each.type === "null" || takesBoolean(each)))

const withBooleans = (row: Row, names: readonly string[]): Row => {
  if (names.length === 0) return row
  const isSwitch = (name: string) => row[name] === 0 || row[name] === 1
  return {...row, ...Object.fromEntries(names.filter(isSwitch).map(name => [name, row[name] === 1]))}
}
