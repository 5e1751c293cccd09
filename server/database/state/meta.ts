import {readCell, textIn} from "../engine/cells.ts"
import type {Reader, Statement} from "../engine/engine.ts"

/** Returns SQL for a value of `svc_meta`, the table of the Host's own single values; NULL without one. */
export const metaSql = (key: string): string => `(SELECT value FROM svc_meta WHERE key = '${key}')`

export const readMeta = async (database: Reader, key: string): Promise<string | undefined> =>
  textIn(await readCell(database, "SELECT value FROM svc_meta WHERE key = ?", [key]))

export const readMetaKeys = async (database: Reader, prefix: string): Promise<ReadonlySet<string>> => {
  const rows = await database.read("SELECT key FROM svc_meta WHERE key GLOB ?", [`${prefix}*`])
  return new Set(rows.map(({key}) => String(key)))
}

/** Stores a value, or replaces it. A value may be an SQL expression; NULL stores nothing. */
export const setMeta = (key: string, value: string | Statement): Statement =>
  storing(key, value, "UPDATE SET value = excluded.value")

/** Stores a value unless the key has one. */
export const addMeta = (key: string, value: string | Statement): Statement => storing(key, value, "NOTHING")

export const deleteMeta = (key: string): Statement => ({sql: "DELETE FROM svc_meta WHERE key = ?", args: [key]})

const storing = (key: string, value: string | Statement, otherwise: string): Statement => {
  const {sql, args = []} = typeof value === "string" ? {sql: "?", args: [value]} : value
  return {
    sql: `INSERT INTO svc_meta (key, value) SELECT ?, value FROM (SELECT ${sql} AS value) WHERE value IS NOT NULL
      ON CONFLICT (key) DO ${otherwise}`,
    args: [key, ...args],
  }
}
