import {LibsqlBatchError, LibsqlError} from "@libsql/core/api"

/** SQLite's primary result codes by name (https://www.sqlite.org/rescode.html), from 1. */
const codes = `
  ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL
  EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING
`
const names = codes.trim().split(/\s+/)

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
  const name = primary === undefined ? "SQLITE_UNKNOWN" : `SQLITE_${names[primary - 1] ?? `UNKNOWN_${primary}`}`
  return new LibsqlError(message, name, code, rawCode, error)
}

/** The same for a statement of a batch. */
export const toBatchError = (cause: unknown, index: number): unknown => {
  const error = toClientError(cause)
  if (!(error instanceof LibsqlError)) return error
  const {message, code, extendedCode, rawCode} = error
  return new LibsqlBatchError(message, index, code, extendedCode, rawCode, error.cause as Error)
}
