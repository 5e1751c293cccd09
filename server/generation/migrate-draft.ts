import type {LoadedConfig} from "../config/load.ts"
import type {Database} from "../database/database.ts"
import {applyMissing, describeIrreversible, findMissing} from "../plugins/plugin-migrations.ts"
import type {Draft} from "./draft.ts"

/** What has the data as it was before plugins' migrations. */
export interface RestorePoint {
  readonly id: string
  /** None of them was applied: it is not needed. */
  discard(): Promise<void>
}

export interface SaveRequest {
  /** In words: which migrations cannot be undone. */
  readonly why: string
  readonly config: LoadedConfig
  /** Nothing of this Host runs yet. */
  readonly isStart: boolean
  readonly signal: AbortSignal
}

/** Sees to it that there is a restore point. Throws `migration_refused`, `stopping`. */
export type SaveBefore = (request: SaveRequest) => Promise<RestorePoint>

export interface MigrateDraftOptions {
  readonly database: Database
  readonly saveBefore: SaveBefore
  readonly isStart: boolean
  readonly signal: AbortSignal
}

/**
 * Brings the tables of a draft's new instances up to date: all of them or none, and before what cannot be undone there is a
 * restore point. Throws `plugin_newer`, what `saveBefore` throws, and what the database says of a migration.
 */
export const migrateDraft = async (
  {fresh, config}: Pick<Draft, "fresh" | "config">,
  {database, saveBefore, isStart, signal}: MigrateDraftOptions,
): Promise<void> => {
  const plugins = fresh.map(({name, plugin: {from}, registrations: {migrations}}) => ({name, from, migrations}))
  const missing = await findMissing(plugins, database)
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
