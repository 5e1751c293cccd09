import {LibsqlBatchError, LibsqlError} from "@libsql/core/api"
import {isProblem, messageOf, Problem, type ProblemCode} from "../../../shared/problems.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import {TimeLimitExceeded} from "../../runtime/flow/time-limit.ts"

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

/** Codes with which SQLite, or a libSQL server, says what the database lacks. The client may add an extended part. */
const ofDatabase =
  /^(SQLITE_(BUSY|LOCKED|FULL|IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|PERM|NOMEM|PROTOCOL|INTERRUPT|ABORT|NOLFS|SCHEMA|INTERNAL|MISUSE)|TRANSACTION_(TIMEOUT|BUSY)|BLOCKED|PROXY_ERROR)(_|$)/

/** Codes of the client, and of a request that a server rejects as a whole: they name neither the lack nor a statement. */
const unexplained =
  /^(TRANSACTION_CLOSED|SERVER_ERROR|CLIENT_CLOSED|INTERNAL_ERROR|PROTOCOL_VERSION_ERROR|UNKNOWN|HRANA|STREAM|AUTH|URL)(_|$)/

/** Removes the code that the driver repeats before its message, twice for a batch. */
const withoutRepeats = (message: string) => message.replace(/^(\w+: )\1+/, "$1")

/** Returns the problem's code for an error of the driver; SQLite's code may have an extended part. */
const codeOf = (cause: unknown): ProblemCode | undefined =>
  cause instanceof LibsqlError ? codes[cause.code.split("_", 2).join("_")] : undefined

/** Converts an error of the driver to a problem, with the code `otherwise` if the driver's code has no problem. */
export const databaseProblem = (
  cause: unknown,
  context: string,
  otherwise: ProblemCode = "database_failed",
): Problem => {
  if (cause instanceof Problem) return cause
  return new Problem(codeOf(cause) ?? otherwise, `${context}: ${withoutRepeats(messageOf(cause))}`, {cause})
}

/** True if SQLite, or a process that read the file, has found a damaged page. */
export const isDamage = (error: unknown): boolean =>
  isProblem(error, "database_corrupt") || codeOf(error) === "database_corrupt"

/** Converts an error of a read: `database_refused` if its statement or a value is at fault. */
export const readingProblem = (cause: unknown): Problem => {
  const isOwn = isStatementError(cause) || isValueError(cause)
  return databaseProblem(cause, "reading failed", isOwn ? "database_refused" : "database_failed")
}

/** True for the driver's errors for a value that it cannot bind or return. */
export const isValueError = (cause: unknown): boolean => cause instanceof TypeError || cause instanceof RangeError

/** The database fails on this change, and stores others. */
export class ChangeFailed extends Problem {
  constructor(message: string, cause: unknown) {
    super("database_failed", message, {cause, hint: "Correct the statement that detail names."})
  }
}

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

/** True if an open connection was closed before the answer. */
export const isClosed = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && /^(ECONN(RESET|ABORTED)|EPIPE|UND_ERR_SOCKET|ConnectionClosed)$/.test(String(error.code))) ||
    isClosed(error.cause))

/** True if a server answered that others write, or that nobody may: it has stored nothing. */
export const isHeldBack = (error: unknown): boolean =>
  error instanceof LibsqlError && /^(SQLITE_(BUSY|LOCKED)|TRANSACTION_(BUSY|TIMEOUT)|BLOCKED)(_|$)/.test(error.code)

/** True if the connection was closed, or nobody said what failed: perhaps one statement of many is the reason. */
export const isUnexplained = (error: unknown): boolean =>
  error instanceof Problem
    ? isUnexplained(error.cause)
    : (isUnreachable(error) && !(error instanceof TimeLimitExceeded)) ||
      (error instanceof LibsqlError && unexplained.test(error.code))

/** True if the statement itself is at fault: another one may succeed. A libSQL server calls most such SQLITE_UNKNOWN. */
export const isStatementError = (error: unknown): boolean =>
  error instanceof LibsqlError && !ofDatabase.test(error.code) && !unexplained.test(error.code)

/** Returns the index of the statement of a batch that failed. */
export const indexOf = (cause: unknown): number | undefined =>
  cause instanceof LibsqlBatchError ? cause.statementIndex : undefined

/** True if a constraint refused the statement, as the assertions of svc do. */
export const isConstraint = (error: unknown): boolean =>
  error instanceof LibsqlError && error.code.startsWith("SQLITE_CONSTRAINT")

/** The most kinds that a message names. */
const mostNamed = 3

/** Returns verbs and tables of statements, without values, such as `UPDATE p_todo_items`; those of plugins first. */
export const kindsOf = (statements: readonly Pick<Statement, "sql">[]): string => {
  const kinds = [...new Set(statements.map(({sql}) => kindOf(sql)))]
  const [own, others] = [kinds.filter(kind => kind.includes(" p_")), kinds.filter(kind => !kind.includes(" p_"))]
  return [...own, ...others].slice(0, mostNamed).join(", ")
}

const kindOf = (sql: string): string => {
  const changing = /\b(INSERT(?: OR \w+)? INTO|REPLACE INTO|UPDATE|DELETE FROM|CREATE \w+|PRAGMA)\s+["`[]?(\w+)/i
  const reading = /\b(SELECT)\b[\s\S]*?\bFROM\s+["`[]?(\w+)/i
  const [, verb, table] = changing.exec(sql) ?? reading.exec(sql) ?? []
  return verb === undefined ? (/\w+/.exec(sql)?.[0] ?? "no statement") : `${verb} ${table}`
}
