import type {Database, Row, Statement} from "../../database/database.ts"
import {quoted} from "../../database/engine/cells.ts"
import type {SecretSearch} from "./search.ts"

/** A place in a database with the value of a secret. */
export interface Leak {
  readonly table: string
  /** The key for the operator: `42`, or `42, root/greeter/command/greet`. */
  readonly row: string
  readonly column: string
  readonly secret: string
}

/** How many rows to read at a time. */
const batch = 1000

const mostLeaks = 20

/** The column by which commands name a row, if it is not the key. */
const names: Readonly<Record<string, string>> = {outbox: "id"}

interface Table {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
}

/** Searches every text and blob of a database that no Host uses. Calls `onRows` with the number of rows of each read. */
export const scanDatabase = async (
  database: Database,
  search: SecretSearch,
  onRows: (count: number) => void = () => {},
): Promise<readonly Leak[]> => {
  const leaks: Leak[] = []
  if (search.isEmpty) return leaks
  for (const table of await readTables(database)) {
    let after: readonly Row[string][] | undefined
    do {
      const rows: readonly Row[] = await database.read(...query(table, after))
      for (const row of rows) {
        leaks.push(...findIn(row, table, search))
        if (leaks.length >= mostLeaks) return leaks.slice(0, mostLeaks)
      }
      onRows(rows.length)
      const last = rows.at(-1)
      after =
        last === undefined || rows.length < batch ? undefined : table.key.map((_, index) => last[`key${index}`] ?? null)
    } while (after !== undefined)
  }
  return leaks
}

const readTables = async (database: Database): Promise<readonly Table[]> => {
  const rows = await database.read(
    `SELECT t.name AS "table", t.wr, c.name AS "column", c.pk FROM pragma_table_list t, pragma_table_xinfo(t.name) c
     WHERE t.schema = 'main' AND t.type IN ('table', 'shadow') AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.name, c.pk`,
  )
  return [...new Set(rows.map(row => String(row.table)))].map(name => {
    const own = rows.filter(row => row.table === name)
    const hasNoRowid = own.some(row => row.wr === 1)
    const key = own.filter(row => Number(row.pk) > 0).map(row => quoted(String(row.column)))
    return {name, key: hasNoRowid ? key : ["rowid"], columns: own.map(row => String(row.column))}
  })
}

const query = ({name, key, columns}: Table, after: readonly Row[string][] | undefined): [string, Statement["args"]] => {
  const texts = columns.map(
    (column, index) =>
      `CASE WHEN typeof(${quoted(column)}) IN ('text', 'blob') THEN ${quoted(column)} END AS text${index}`,
  )
  const list = [...key.map((column, index) => `${column} AS key${index}`), ...texts].join(", ")
  const order = key.join(", ")
  const where = after === undefined ? "" : `WHERE (${order}) > (${key.map(() => "?").join(", ")})`
  return [`SELECT ${list} FROM ${quoted(name)} ${where} ORDER BY ${order} LIMIT ${batch}`, [...(after ?? [])]]
}

const findIn = (row: Row, {name, key, columns}: Table, search: SecretSearch): Leak[] =>
  columns.flatMap((column, position) => {
    const value = row[`text${position}`]
    const secret =
      typeof value === "string"
        ? search.find(value)
        : value instanceof ArrayBuffer
          ? search.findIn(new Uint8Array(value))
          : undefined
    if (secret === undefined) return []
    const named = columns.indexOf(names[name] ?? "")
    const shown = named < 0 ? key.map((_, index) => String(row[`key${index}`])).join(", ") : String(row[`text${named}`])
    // Never prints a key that contains the secret.
    return [{table: name, row: search.find(shown) === undefined ? shown : "?", column, secret}]
  })
