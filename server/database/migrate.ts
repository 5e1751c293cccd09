import {Problem} from "../../shared/problems.ts"
import type {Engine} from "./engine.ts"
import type {Migration} from "./migrations.ts"

const bootstrap = [
  "CREATE TABLE IF NOT EXISTS svc_group (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL)",
  "INSERT OR IGNORE INTO svc_group (id, number) VALUES (1, 0)",
  "CREATE TABLE IF NOT EXISTS svc_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)",
]

/** The newest version that the database has; 0 for a new one. */
export const schemaVersion = async (engine: Engine): Promise<number> => {
  const tables = await engine.read("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'svc_migrations'")
  if (tables.length === 0) return 0
  const [row] = await engine.read("SELECT max(version) AS version FROM svc_migrations")
  return Number(row?.version ?? 0)
}

/**
 * Brings the schema up to the newest migration; resolves to the versions that were applied. Each migration and its
 * version row are one transaction, so a process that dies in one leaves nothing of it. Throws `database_newer`, and
 * `stopping` when the signal ended it between two statements.
 */
export const migrate = async (
  engine: Engine,
  migrations: readonly Migration[],
  signal: AbortSignal,
): Promise<readonly number[]> => {
  const current = await schemaVersion(engine)
  const newest = migrations.at(-1)?.version ?? 0
  if (current > newest) {
    throw new Problem(
      "database_newer",
      `the database has schema version ${current}; this version of svc knows versions up to ${newest}`,
    )
  }
  if (current === 0)
    await engine.migrate(
      bootstrap.map(sql => ({sql})),
      signal,
    )
  const missing = migrations.filter(migration => migration.version > current)
  for (const {version, name, statements} of missing) {
    const row = {
      sql: "INSERT INTO svc_migrations (version, name, applied_at) VALUES (?, ?, ?)",
      args: [version, name, Date.now()],
    }
    await engine.migrate([...statements.map(sql => ({sql})), row], signal)
  }
  return missing.map(migration => migration.version)
}
