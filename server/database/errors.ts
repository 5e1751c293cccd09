import {LibsqlError} from "@libsql/core/api"
import {messageOf, Problem, type ProblemCode} from "../../shared/problems.ts"

/** SQLite's result codes as problems (https://www.sqlite.org/rescode.html). */
const codes: Record<string, ProblemCode> = {
  SQLITE_BUSY: "database_busy",
  SQLITE_LOCKED: "database_busy",
  SQLITE_FULL: "database_full",
  SQLITE_CORRUPT: "database_corrupt",
  SQLITE_NOTADB: "database_corrupt",
  SQLITE_CANTOPEN: "database_unopenable",
  SQLITE_READONLY: "database_unopenable",
  SQLITE_PERM: "database_unopenable",
  SQLITE_CONSTRAINT: "database_refused",
}

/**
 * Codes that speak of a statement, not of the database: SQLite's, and those under which a libSQL server reports what it
 * could not parse or prepare.
 */
const ofStatement = new Set([
  "SQLITE_CONSTRAINT",
  "SQLITE_ERROR",
  "SQLITE_MISMATCH",
  "SQLITE_TOOBIG",
  "SQLITE_RANGE",
  "SQL_INPUT_ERROR",
  "SQL_PARSE_ERROR",
  "SQL_NO_STATEMENT",
  "SQL_MANY_STATEMENTS",
  "ARGS_INVALID",
])

/** The driver puts the code before its message, twice for a batch. */
const withoutRepeats = (message: string) => message.replace(/^(\w+: )\1+/, "$1")

/** A driver's error as a problem; `otherwise` where its code says nothing. */
export const databaseProblem = (
  cause: unknown,
  context: string,
  otherwise: ProblemCode = "database_failed",
): Problem => {
  if (cause instanceof Problem) return cause
  const code = cause instanceof LibsqlError ? codes[cause.code] : undefined
  return new Problem(code ?? otherwise, `${context}: ${withoutRepeats(messageOf(cause))}`, {cause})
}

/** True where the system below SQLite failed: a commit that ends so may be on the disk all the same. */
export const isDiskError = (error: unknown): boolean => error instanceof LibsqlError && error.code === "SQLITE_IOERR"

/** True where the statement itself is at fault: another one may well succeed. */
export const isStatementError = (error: unknown): boolean => error instanceof LibsqlError && ofStatement.has(error.code)
