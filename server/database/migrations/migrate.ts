import {Problem} from "../../../shared/problems.ts"
import {readNumber} from "../engine/cells.ts"
import {type Engine, type Reader, type Statement, StatementFailed} from "../engine/engine.ts"
import {databaseProblem} from "../engine/errors.ts"
import {cannotBeUndone, noteIrreversible, ownMigration} from "./irreversible.ts"
import {type IrreversibleMigration, isIrreversible, type Migration} from "./migrations.ts"

const bootstrap = [
  "CREATE TABLE IF NOT EXISTS svc_group (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL)",
  "INSERT OR IGNORE INTO svc_group (id, number) VALUES (1, 0)",
  "CREATE TABLE IF NOT EXISTS svc_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)",
]

export interface MigrateOptions {
  /** Stops between two statements. Nothing remains of the migration in progress. */
  readonly signal: AbortSignal
  /**
   * What has the earlier data: the id of a verified checkpoint, or of a remote database's own backup. Without it,
   * `migrate` applies no irreversible migration to a database that a Host has run on.
   */
  readonly restorePoint?: string | undefined
  /** Called before each statement with its migration and the number of statements of the transaction that have run. */
  readonly progress?: (what: string, done: number, total: number) => void
}

/** An applied migration and how long it took. Migrations that share a transaction get equal parts of the time. */
export interface Applied {
  readonly version: number
  readonly milliseconds: number
}

/** Returns the newest version of the database; 0 for a new one. */
export const schemaVersion = async (engine: Reader): Promise<number> =>
  (await hasTable(engine, "svc_migrations"))
    ? readNumber(engine, "SELECT max(version) AS version FROM svc_migrations")
    : 0

const hasTable = async (engine: Reader, name: string): Promise<boolean> =>
  (await engine.read("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name])).length > 0

/**
 * Migrates the schema to the newest version; resolves to the applied migrations. Each migration and its version row are
 * one transaction; in a new file all of them share one. A process that dies in a transaction leaves nothing of it.
 * Throws `stopping`, `database_newer`, and `migration_refused` without a restore point that is needed.
 */
export const migrate = async (
  engine: Engine,
  migrations: readonly Migration[],
  {signal, restorePoint, progress = () => {}}: MigrateOptions,
): Promise<readonly Applied[]> => {
  const current = await schemaVersion(engine)
  requireKnownSchema(current, migrations)
  const missing = migrations.filter(migration => migration.version > current)
  const irreversible = restorePoint === undefined ? await irreversibleFor(engine, migrations, current) : []
  if (irreversible.length > 0) throw unsafe(irreversible)
  if (current === 0)
    await runMigration(
      engine,
      bootstrap.map(sql => ({sql})),
      signal,
    )
  // In a new file no migration takes long, and neither does a rollback of all of them.
  const isOne = current === 0 && engine.canEndBetween
  const groups = isOne ? [missing] : missing.map(migration => [migration])
  const applied: Applied[] = []
  for (const group of groups) {
    const began = performance.now()
    const steps = group.flatMap(migration => stepsOf(migration, restorePoint))
    const whatOf = (index = 0) => steps[index]?.what ?? "the migration"
    await runMigration(
      engine,
      steps.map(({statement}) => statement),
      signal,
      whatOf,
      index => progress(whatOf(index), index, steps.length),
    )
    const milliseconds = (performance.now() - began) / group.length
    applied.push(...group.map(({version}) => ({version, milliseconds})))
  }
  return applied
}

/** Returns the statements of a migration, with its version row last, and the name of the migration for people. */
const stepsOf = (migration: Migration, restorePoint: string | undefined) => {
  const {version, name, statements} = migration
  const row = {
    sql: "INSERT INTO svc_migrations (version, name, applied_at) VALUES (?, ?, ?)",
    args: [version, name, Date.now()],
  }
  const note = isIrreversible(migration) ? [noteIrreversible(migration, restorePoint)] : []
  const what = ownMigration(version, name)
  return [...statements.map(sql => ({sql})), row, ...note].map(statement => ({statement, what}))
}

/** Runs statements in one transaction. Throws `stopping`, and an error that `whatOf` names by the statement's index. */
export const runMigration = async (
  engine: Pick<Engine, "migrate">,
  statements: readonly Statement[],
  signal: AbortSignal,
  whatOf: (index: number | undefined) => string = () => "the migration",
  begins?: (index: number) => void,
): Promise<void> => {
  try {
    await engine.migrate(statements, signal, begins)
  } catch (error) {
    throw error instanceof StatementFailed ? databaseProblem(error.cause, `${whatOf(error.index)} failed`) : error
  }
}

/** Throws `database_newer`. */
export const requireKnownSchema = (schema: number, migrations: readonly Migration[]): void => {
  const newest = migrations.at(-1)?.version ?? 0
  if (schema <= newest) return
  throw new Problem("database_newer", `the database has schema version ${schema}; this svc knows up to ${newest}`)
}

/** Returns the irreversible migrations if a Host has run on the database. Otherwise there is no data to lose. */
export const irreversibleFor = async (
  database: Reader,
  migrations: readonly Migration[],
  schema: number,
): Promise<readonly IrreversibleMigration[]> => {
  const found = migrations.filter(({version}) => version > schema).filter(isIrreversible)
  const hasRun = async () => (await database.read("SELECT 1 FROM svc_runs LIMIT 1")).length > 0
  return found.length > 0 && (await hasTable(database, "svc_runs")) && (await hasRun()) ? found : []
}

export const describeIrreversible = (migrations: readonly IrreversibleMigration[]): string =>
  migrations
    .map(({version, name, irreversible}) => cannotBeUndone(ownMigration(version, name), irreversible))
    .join("; ")

const unsafe = (irreversible: readonly IrreversibleMigration[]): Problem =>
  new Problem("migration_refused", `${describeIrreversible(irreversible)}; no checkpoint was made before it`)
