import type {Shape, Static, TObject, TProperties} from "../../../shared/type.ts"
import type {Row} from "../database.ts"
import {timeOf} from "./pages.ts"

/**
 * Returns a function that reads a row as a view, by the view's schema: `createdAt` is the column `created_at`, and `columns`
 * has the other names. The caller replaces what is computed.
 */
export const rowReader = <P extends TProperties>(
  {properties}: TObject<P>,
  columns: {readonly [K in keyof P]?: string} = {},
) => {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const column = columns[name] ?? name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    return [name, column, readerOf(schema)] as const
  })
  // The schema of the table and that of the view agree.
  return (row: Row) =>
    Object.fromEntries(fields.map(([name, column, read]) => [name, read(row[column])])) as Static<TObject<P>>
}

const readerOf = ({type, format, const: fixed, anyOf = []}: Shape): ((cell: unknown) => unknown) => {
  const [schema, none]: readonly Shape[] = anyOf
  if (schema !== undefined && none?.type === "null") {
    const read = readerOf(schema)
    return cell => (cell === null || cell === undefined ? null : read(cell))
  }
  if (fixed !== undefined) return () => fixed
  if (format === "date-time") return timeOf
  return type === "integer" || type === "number" ? Number : String
}
