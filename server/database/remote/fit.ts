import type {Client, ResultSet} from "@libsql/client/http"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {isStatementError} from "../engine/errors.ts"

/** SQLite 3.40 and 3.43 cut a text from JSON at its NUL; 3.45 and later keep it. */
const oldest = "3.45"

/**
 * SQL that is true on a server that can do what svc relies on, by what another server does. Servers with all of it have
 * RETURNING and triggers too. Agents do without FTS5.
 */
const needs = {
  "cuts a text from JSON at its NUL": `length(CAST('{"text":"a\\u0000b"}' ->> '$.text' AS BLOB)) = 3`,
  "cuts a text of a JSON list at its NUL": `(SELECT length(CAST(value AS BLOB)) FROM json_each('["a\\u0000b"]')) = 3`,
  "has no time in milliseconds": "typeof(unixepoch('subsec')) = 'real'",
} as const

const conditions = Object.values(needs).map((condition, place) => `${condition} AS need${place}`)
const probes = [
  `WITH RECURSIVE one(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < 1) SELECT ${conditions.join(", ")} FROM one`,
  // Only compiled.
  "EXPLAIN CREATE TABLE svc_fit (id TEXT PRIMARY KEY) WITHOUT ROWID",
]

/** Throws `database_unopenable` for a server without what svc relies on, with its version. One request otherwise. */
export const requireFit = async (ask: Client["batch"], host: string): Promise<void> => {
  const faults = await ask(probes, "deferred").then(faultsIn, error => {
    if (!isStatementError(error)) throw error
    return [`refuses what svc relies on (${messageOf(error)})`]
  })
  if (faults.length === 0) return
  const [found] = await ask(["SELECT sqlite_version() AS version"], "deferred")
  const hint = `Update the server to one with SQLite ${oldest} or newer. The database is unchanged.`
  const why = `${host} has SQLite ${found?.rows[0]?.version}, which ${faults.join(" and ")}`
  throw new Problem("database_unopenable", why, {hint})
}

const faultsIn = ([found]: readonly ResultSet[]): readonly string[] =>
  Object.keys(needs).filter((_, place) => found?.rows[0]?.[`need${place}`] !== 1)
