/** What a libSQL server refuses and how it says so (tursodatabase/libsql, libsql-server/src: hrana/stmt.rs, query_analysis.rs). */

export class HranaError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** A request against the protocol. The server answers it as a whole with 400 and a text. */
export class ProtocolError extends Error {}

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html) that a server names. It does not name SQLITE_ERROR. */
const codes: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  20: "SQLITE_MISMATCH",
  25: "SQLITE_RANGE",
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const runError = (error: unknown): HranaError => {
  if (error instanceof HranaError) return error
  const number = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0
  return new HranaError(codes[number] ?? "SQLITE_UNKNOWN", `SQLite error: ${messageOf(error)}`)
}

/** The messages for which SQLite knows the place in the text, and the part of the text that is there. */
const placed =
  /^(?:near "|no such column: |no such function: |ambiguous column name: |wrong number of arguments to function )([^"()]+)/

export const prepareError = (error: unknown, sql: string): HranaError => {
  const [, part] = placed.exec(messageOf(error)) ?? []
  if (part === undefined) return runError(error)
  return new HranaError("SQL_INPUT_ERROR", `SQL input error: ${messageOf(error)} (at offset ${sql.indexOf(part)})`)
}

/** True if a text is no SQL at all: a server finds this before it runs the first step of a request. */
export const isSyntaxError = (error: unknown): boolean =>
  /: syntax error$|^incomplete input$|^unrecognized token/.test(messageOf(error))

const pragmas = new Set(
  "table_list index_list table_info table_xinfo index_info index_xinfo pragma_list compile_options database_list function_list module_list encoding defer_foreign_keys foreign_keys foreign_key_list foreign_key_check collation_list data_version freelist_count integrity_check legacy_file_format page_count quick_check stats user_version".split(
    " ",
  ),
)

/** Pragmas that a server refuses even without a value. */
const neverPragma =
  /^(case_sensitive_like|ignore_check_constraints|incremental_vacuum|optimize|parser_trace|shrink_memory|wal_checkpoint)$/

const isUnsupported = (sql: string): boolean => {
  const [, pragma = "", value] = /^\s*PRAGMA\s+(?:\w+\.)?(\w+)\s*([=(])?/i.exec(sql) ?? []
  if (pragma !== "") return neverPragma.test(pragma) || (value !== undefined && !pragmas.has(pragma.toLowerCase()))
  return /^\s*(VACUUM|ANALYZE|ATTACH\s+(DATABASE\s+)?['?:@$]|CREATE\s+(TEMP|TABLE\s+(IF\s+NOT\s+EXISTS\s+)?temp\.))/i.test(
    sql,
  )
}

/** Throws for an expression without AS: versions of SQLite name it differently. */
export const requireNames = (
  columns: readonly {readonly name: string; readonly column: string | null}[],
  sql: string,
): void => {
  const nameless = columns.find(({name, column}) => column === null && !/^\w+$/.test(name))
  if (nameless !== undefined) throw new HranaError("NAMELESS", `${nameless.name} needs AS: ${sql}`)
}

/** Throws what a server's own parser finds in a text. */
export const requireSupported = (sql: string, lacks?: string): void => {
  if (isUnsupported(sql) || (lacks !== undefined && sql.includes(lacks)))
    throw new HranaError("SQL_PARSE_ERROR", `SQL string could not be parsed: unsupported statement: ${sql}`)
  const code = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, "x")
  if (/;\s*\S/.test(code) && !/^\s*CREATE\s+TRIGGER/i.test(code))
    throw new HranaError("SQL_MANY_STATEMENTS", "SQL string contains more than one statement")
}
