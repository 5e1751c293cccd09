import {expect, test} from "vitest"
import {mayPass} from "../../../server/host/open/patience.ts"
import {TimeLimitExceeded} from "../../../server/runtime/flow/time-limit.ts"
import {Problem, type ProblemCode} from "../../../shared/problems.ts"

const coded = (code: string, cause?: unknown) => Object.assign(new Error(code, {cause}), {code})
const answered = (status: number) => Object.assign(new Error(`HTTP status ${status}`), {status})
const problem = (code: ProblemCode, cause?: unknown) => new Problem(code, "it failed", {cause})

test.each<readonly [string, unknown]>([
  ["an address in use", problem("port_taken", coded("EADDRINUSE"))],
  ["an address that the machine does not have yet", problem("port_taken", coded("EADDRNOTAVAIL"))],
  ["a database that refuses the connection", problem("database_unopenable", coded("ECONNREFUSED"))],
  [
    "the same, as Node's fetch wraps it",
    problem("database_unopenable", new TypeError("fetch failed", {cause: coded("ENOTFOUND")})),
  ],
  ["a database that does not answer", problem("database_unopenable", new TimeLimitExceeded(10_000))],
  ["a database that answers 503", problem("database_unopenable", coded("SERVER_ERROR", answered(503)))],
  ["a connection that is cut during a migration", problem("database_outcome_unknown", coded("ECONNRESET"))],
  ["a database that another process has locked", problem("database_busy")],
  ["the lease of another Host", new Problem("locked", "another Host holds the remote database", {retryAfter: 9})],
  ["a full disk, as the system says it", coded("ENOSPC: no space left on device")],
  ["a full disk, as SQLite says it", problem("database_full")],
  ["a full disk under another failure", problem("migration_refused", problem("checkpoint_failed", coded("ENOSPC")))],
])("a start is retried after %s", (_, error) => expect(mayPass(error)).toBe(true))

test.each<readonly [string, unknown]>([
  ["a port without permission", problem("port_taken", coded("EACCES"))],
  ["a token that the database refuses", problem("database_unopenable", coded("SERVER_ERROR", answered(401)))],
  ["an address without a database", problem("database_unopenable", coded("SERVER_ERROR", answered(404)))],
  ["a file that cannot be opened", problem("database_unopenable", coded("SQLITE_CANTOPEN"))],
  ["another history", problem("authority_mismatch")],
  ["a newer schema", problem("database_newer")],
  ["a damaged database", problem("database_corrupt")],
  ["a Host that holds the project", problem("locked")],
  ["a configuration with an error", problem("config_invalid")],
  [
    "too many watched files",
    Object.assign(coded("ENOSPC: System limit for number of file watchers reached"), {syscall: "watch"}),
  ],
  ["a plugin that fails", problem("generation_failed", new Error("setup failed"))],
  ["a plugin's own connection", problem("generation_failed", coded("ECONNREFUSED"))],
])("a start is not retried after %s", (_, error) => expect(mayPass(error)).toBe(false))
