import {LibsqlError} from "@libsql/core/api"
import {messageOf, Problem, type ProblemCode} from "../../shared/problems.ts"
import {TimeLimitExceeded} from "../runtime/flow/time-limit.ts"

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

/** What Bun and Node say where nobody answers: a name that is not resolved, a connection that is refused or cut, a time-out. */
const network =
  /^(ECONN(REFUSED|RESET|ABORTED)|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|UND_ERR_SOCKET|Connection(Refused|Closed)|FailedToOpenSocket)$/

/**
 * True where a remote database did not answer, or answered that it cannot now (408, 429, 5xx): that says nothing against
 * its address, its token or the statement. Looks at the causes too.
 */
export const isUnreachable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error instanceof TimeLimitExceeded) return true
  if ("status" in error && typeof error.status === "number" && !(error instanceof Problem))
    return error.status >= 500 || error.status === 408 || error.status === 429
  return ("code" in error && network.test(String(error.code))) || isUnreachable(error.cause)
}

/** True where the statement itself is at fault: another one may well succeed. */
export const isStatementError = (error: unknown): boolean => error instanceof LibsqlError && ofStatement.has(error.code)
