import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {
  PluginDatabase,
  Row,
  RowOf,
  SqlValue,
  WriteResult,
  WriteResults,
  WriteStatement,
} from "../../../shared/sdk/session/database.ts"
import {readStatements} from "../../../shared/sdk/session/values.ts"
import type {TSchema} from "../../../shared/type.ts"
import type {Database, Result} from "../../database/database.ts"
import {ChangeFailed, isUnexplained} from "../../database/engine/errors.ts"
import {persist} from "../../database/persist.ts"
import {explainUnseen} from "../../runtime/text/explain.ts"

/** Reads rows by their schema, if there is one. Throws `row_invalid`; `what` says whose rows they are. */
const fitRows = <S extends TSchema | undefined>(
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

/** Returns whether a column is a boolean, nullable or not. If its schema also takes numbers, a number stays one. */
const takesBoolean = ({type, anyOf = []}: Shape): boolean =>
  type === "boolean" || (anyOf.some(takesBoolean) && anyOf.every(each => each.type === "null" || takesBoolean(each)))

const withBooleans = (row: Row, names: readonly string[]): Row => {
  if (names.length === 0) return row
  const isSwitch = (name: string) => row[name] === 0 || row[name] === 1
  return {...row, ...Object.fromEntries(names.filter(isSwitch).map(name => [name, row[name] === 1]))}
}

/** Returns the full names of a plugin's tables: `p_<plugin>_<table>`. */
export const tableName =
  (plugin: string) =>
  (table: string): string => {
    if (!/^[a-z][a-z0-9_]*$/i.test(table)) {
      throw new Problem("database_refused", `"${table}" is no valid table name: letters, digits and _, a letter first`)
    }
    return `p_${plugin.replaceAll("-", "_")}_${table}`
  }

export type OpenDatabase = Pick<Database, "read" | "write">

/** Returns the database with reads that wait while it fails, until `signal` is aborted. */
export const readingPatiently = (
  path: string,
  database: OpenDatabase,
  log: Log,
  signal: AbortSignal,
): OpenDatabase => ({
  read: (sql, args) => {
    const read = () =>
      database.read(sql, args).catch(async error => {
        if (!isUnexplained(error)) throw error
        // If the database works otherwise, waiting for it helps no one.
        await database.read("SELECT 1 AS one")
        throw new ChangeFailed(messageOf(error), error)
      })
    return persist(`a read of ${path}`, log, read, signal)
  },
  write: (batch, changes) => database.write(batch, changes),
})

export const pluginDatabase = (plugin: string, database: OpenDatabase): Omit<PluginDatabase, "migrate"> => ({
  table: tableName(plugin),
  read: async <S extends TSchema | undefined = undefined>(sql: string, args?: readonly SqlValue[], row?: S) => {
    readStatements([args === undefined ? {sql} : {sql, args}])
    return fitRows<S>(await database.read(sql, args), row, "database.read()")
  },
  write: async statements => {
    const given: readonly WriteStatement[] = readStatements(statements)
    const results = await database.write(given.map(({sql, args}) => (args === undefined ? {sql} : {sql, args})))
    return given.map((statement, index) => resultOf(statement, index, results[index])) as WriteResults<
      typeof statements
    >
  },
})

const resultOf = ({sql, row}: WriteStatement, index: number, result: Result = {rows: [], changes: 0}): WriteResult => {
  const {rows} = result
  // The engine reports no changes for a statement that returns rows.
  const changes = rows.length > 0 && isReturning(sql) ? rows.length : result.changes
  return {
    changes,
    rows: fitRows(rows, row, `statement ${index + 1} of database.write(), whose batch is stored`) as readonly Row[],
  }
}

/** Returns whether a statement contains RETURNING outside of texts, names and comments. */
const isReturning = (sql: string): boolean =>
  /\breturning\b/i.test(sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, ""))
