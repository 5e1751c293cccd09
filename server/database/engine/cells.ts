import type {Reader, SqlValue, Statement} from "./engine.ts"

/** Returns the text of a cell of a row; undefined for NULL. */
export const textIn = (cell: unknown): string | undefined =>
  cell === null || cell === undefined ? undefined : String(cell)

/** Returns the number of a cell of a row; undefined for NULL. */
export const numberIn = (cell: unknown): number | undefined =>
  cell === null || cell === undefined ? undefined : Number(cell)

/** Returns the first value that a query returns; undefined for NULL, and without a row. An expression needs a name. */
export const readCell = async (
  database: Reader,
  sql: string,
  args?: Statement["args"],
): Promise<SqlValue | undefined> => Object.values((await database.read(sql, args))[0] ?? {})[0] ?? undefined

/** Returns it as a number; 0 for NULL, and without a row. */
export const readNumber = async (database: Reader, sql: string, args?: Statement["args"]): Promise<number> =>
  Number((await readCell(database, sql, args)) ?? 0)

/** Returns a name of the database as SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
