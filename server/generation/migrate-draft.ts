import type {LoadedConfig} from "../config/load.ts"
import type {Database} from "../database/database.ts"
import type {Draft} from "./draft.ts"
import {readNewestGeneration} from "./history.ts"
import {applyMissing, describeIrreversible, findMissing} from "./plugins/plugin-migrations.ts"

/** The data from before plugins' migrations. */
export interface RestorePoint {
  readonly id: string
  /** Discards it, because no migration was applied. */
  discard(): Promise<void>
}

export interface SaveRequest {
  /** Describes which migrations cannot be undone. */
  readonly why: string
  readonly config: LoadedConfig
  /** True if the Host runs nothing yet. */
  readonly isStart: boolean
  readonly signal: AbortSignal
}

/** Creates a restore point. Throws `migration_refused`, `stopping`. */
export type SaveBefore = (request: SaveRequest) => Promise<RestorePoint>

export interface MigrateDraftOptions {
  readonly database: Database
  readonly saveBefore: SaveBefore
  readonly isStart: boolean
  readonly signal: AbortSignal
}

/**
 * Migrates the tables of a draft's new instances: all or none, with a restore point before migrations that cannot be
 * undone. Throws `plugin_newer`, what `saveBefore` throws, and what the database reports about a migration.
 */
export const migrateDraft = async (
  {fresh, config}: Pick<Draft, "fresh" | "config">,
  {database, saveBefore, isStart, signal}: MigrateDraftOptions,
): Promise<void> => {
  const plugins = fresh.map(({name, plugin: {from}, registrations: {migrations}}) => ({name, from, migrations}))
  const missing = await findMissing(plugins, database, async () => (await readNewestGeneration(database)) > 0)
  if (missing.all.length === 0) return
  const why = describeIrreversible(missing.irreversible)
  const point = why === "" ? undefined : await saveBefore({why, config, isStart, signal})
  try {
    await applyMissing(missing, point?.id, database, signal)
  } catch (error) {
    await point?.discard()
    throw error
  }
}
