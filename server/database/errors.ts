import {LibsqlError} from "@libsql/core/api"
import {messageOf, Problem, type ProblemCode} from "../../shared/problems.ts"
import {TimeLimitExceeded} from "../runtime/flow/time-limit.ts"

/** Problems for SQLite's result codes (https://www.sqlite.org/rescode.html). */
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
 * Codes that are about a statement, not about the database: SQLite's, and those of a libSQL server that could not parse
 * or prepare a statement.
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

/** Removes the code that the driver repeats before its message, twice for a batch. */
const withoutRepeats = (message: string) => message.replace(/^(\w+: )\1+/, "$1")

/** Converts an error of the driver to a problem, with the code `otherwise` if the driver's code has no problem. */
export const databaseProblem = (
  cause: unknown,
  context: string,
  otherwise: ProblemCode = "database_failed",
): Problem => {
  if (cause instanceof Problem) return cause
  const code = cause instanceof LibsqlError ? codes[cause.code] : undefined
  return new Problem(code ?? otherwise, `${context}: ${withoutRepeats(messageOf(cause))}`, {cause})
}

/** Converts an error of a read: `database_refused` if its statement or a value is at fault. */
export const readingProblem = (cause: unknown): Problem => {
  const isOwn = isStatementError(cause) || isValueError(cause)
  return databaseProblem(cause, "reading failed", isOwn ? "database_refused" : "database_failed")
}

/** True for the driver's errors for a value that it cannot bind or return. */
export const isValueError = (cause: unknown): boolean => cause instanceof TypeError || cause instanceof RangeError

/** True if the system below SQLite failed. A commit that fails this way may still be on the disk. */
export const isDiskError = (error: unknown): boolean => error instanceof LibsqlError && error.code === "SQLITE_IOERR"

/** The codes of Bun and Node for a failed connection: an unresolved name, a refused or closed connection, a timeout. */
const network =
  /^(ECONN(REFUSED|RESET|ABORTED)|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|UND_ERR_SOCKET|Connection(Refused|Closed)|FailedToOpenSocket)$/

/**
 * True if a remote database did not answer, or answered that it is unavailable now (408, 429, 5xx). This does not mean
 * that its address, its token or the statement is wrong. Checks the causes too.
 */
export const isUnreachable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error instanceof TimeLimitExceeded) return true
  if ("status" in error && typeof error.status === "number" && !(error instanceof Problem))
    return error.status >= 500 || error.status === 408 || error.status === 429
  return ("code" in error && network.test(String(error.code))) || isUnreachable(error.cause)
}

/** True if the statement itself is at fault: another one may succeed. */
export const isStatementError = (error: unknown): boolean => error instanceof LibsqlError && ofStatement.has(error.code)
