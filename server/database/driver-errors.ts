import {LibsqlBatchError, LibsqlError} from "@libsql/core/api"

/** SQLite's primary result codes by name (https://www.sqlite.org/rescode.html), as the client names them. */
const names: Readonly<Record<number, string>> = {
  1: "SQLITE_ERROR",
  2: "SQLITE_INTERNAL",
  3: "SQLITE_PERM",
  4: "SQLITE_ABORT",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  9: "SQLITE_INTERRUPT",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  12: "SQLITE_NOTFOUND",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  16: "SQLITE_EMPTY",
  17: "SQLITE_SCHEMA",
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  20: "SQLITE_MISMATCH",
  21: "SQLITE_MISUSE",
  22: "SQLITE_NOLFS",
  23: "SQLITE_AUTH",
  24: "SQLITE_FORMAT",
  25: "SQLITE_RANGE",
  26: "SQLITE_NOTADB",
  27: "SQLITE_NOTICE",
  28: "SQLITE_WARNING",
}

/** The driver's own errors. The client does not export their class. */
interface SqliteError extends Error {
  readonly code: string
  /** The extended result code; its lowest byte is the primary one. */
  readonly rawCode?: number
}

const isSqliteError = (error: unknown): error is SqliteError => error instanceof Error && error.name === "SqliteError"

/** Converts an error of the driver to the error that the client would throw. */
export const toClientError = (error: unknown): unknown => {
  if (!isSqliteError(error)) return error
  const {message, code, rawCode} = error
  const primary = rawCode === undefined ? undefined : rawCode & 0xff
  const name = primary === undefined ? "SQLITE_UNKNOWN" : (names[primary] ?? `SQLITE_UNKNOWN_${primary}`)
  return new LibsqlError(message, name, code, rawCode, error)
}

/** The same for a statement of a batch. */
export const toBatchError = (cause: unknown, index: number): unknown => {
  const error = toClientError(cause)
  if (!(error instanceof LibsqlError)) return error
  const {message, code, extendedCode, rawCode} = error
  return new LibsqlBatchError(message, index, code, extendedCode, rawCode, error.cause as Error)
}
