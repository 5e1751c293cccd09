import {messageOf, Problem} from "../../../shared/problems.ts"
import type {Engine} from "../engine.ts"
import {isStatementError} from "../errors.ts"

/** SQLite 3.40 and 3.43 cut a text from JSON at its NUL; 3.45 and later keep it. */
const oldest = "3.45"

/**
 * What svc relies on and a schema does not prove: tables WITHOUT ROWID, triggers and RETURNING fail in a migration, and
 * agents do without FTS5. SQL by what a server without it does.
 */
const needs = {
  "cuts a text from JSON at its NUL": `length(CAST('{"text":"a\\u0000b"}' ->> '$.text' AS BLOB)) = 3`,
  "cuts a text of a JSON list at its NUL": `(SELECT length(CAST(value AS BLOB)) FROM json_each('["a\\u0000b"]')) = 3`,
  "has no time in milliseconds": "typeof(unixepoch('subsec')) = 'real'",
} as const

/** Throws `database_unopenable` for a server whose SQLite cannot do what svc relies on. Reads once if it can. */
export const requireFit = async (read: Engine["read"], host: string): Promise<void> => {
  const faults = await findFaults(read)
  if (faults.length === 0) return
  const [row] = await read("SELECT sqlite_version() AS version")
  const hint = `Update the server to one with SQLite ${oldest} or newer. The database is unchanged.`
  throw new Problem("database_unopenable", `${host} has SQLite ${row?.version}, which ${faults.join(" and ")}`, {hint})
}

const findFaults = async (read: Engine["read"]): Promise<readonly string[]> => {
  const names = Object.keys(needs)
  const conditions = Object.values(needs).map((condition, place) => `${condition} AS need${place}`)
  try {
    const [row] = await read(`SELECT ${conditions.join(", ")}`)
    return names.filter((_, place) => row?.[`need${place}`] !== 1)
  } catch (error) {
    if (!(error instanceof Problem && isStatementError(error.cause))) throw error
    return [`refuses what svc relies on (${messageOf(error.cause)})`]
  }
}
