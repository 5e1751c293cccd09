import {existsSync} from "node:fs"
import type {Compacted, DatabaseInfo} from "../../../shared/api/database.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import {type Database, type Location, schemaOf} from "../../database/database.ts"
import {newestSchema} from "../../database/migrations/migrations.ts"
import {compactFile, readStorage} from "../../database/upkeep/compact.ts"
import {withDatabase} from "../../database/without-host.ts"
import type {CreateOptions} from "../../recovery/checkpoint/create.ts"
import {CheckpointStore} from "../../recovery/checkpoint/store.ts"
import {type Restored, restoreCheckpoint} from "../../recovery/restore/restore.ts"
import {createAtRest} from "../at-rest.ts"
import {readInfo} from "../capacity/capacity.ts"
import {readPages} from "../capacity/growth.ts"
import {holding, loadStopped, type StoppedOptions} from "../held.ts"
import {requireNotOlder} from "../high-water.ts"
import {requireKnownDatabase} from "../migrate.ts"
import {requireOneHistory} from "../one-history.ts"
import {foldersOf, locationOf, minimumFreeOf} from "../settings.ts"

/** Resolves to the information of `svc database info` for a stopped project. */
export const infoStopped = (options: StoppedOptions, tables: boolean): Promise<DatabaseInfo> =>
  holding(options, async paths => {
    const {config} = await loadStopped(options)
    const location = locationOf(config, paths)
    return withCurrentDatabase(location, database => {
      const least = () => minimumFreeOf(config)
      const settings = {retention: config.retention, fileQuota: config.files.quota}
      return readInfo(database, {folders: foldersOf(location, paths), least}, settings, tables)
    })
  })

/** Compacts the database of a stopped project. Throws `compact_unavailable` and the problems of `compactFile`. */
export const compactStopped = (options: StoppedOptions, dryRun: boolean): Promise<Compacted> =>
  holding(options, async paths => {
    const {config} = await loadStopped(options)
    const location = requireThere(locationOf(config, paths))
    if (location.dialect !== "sqlite")
      throw new Problem("compact_unavailable", "svc cannot compact a remote database; its server does that")
    const {file: before} = await readStorage(location.file)
    if (dryRun) {
      const {used: after} = await withDatabase(location, readPages)
      return {dryRun, dropped: 0, before, after}
    }
    await compactFile(location.file)
    return {dryRun, dropped: 0, before, after: (await readStorage(location.file)).file}
  })

/** Opens a database that has this version's schema, and never migrates it. Throws `database_unopenable`, `database_newer`. */
export const withCurrentDatabase = <T>(location: Location, work: (database: Database) => Promise<T>): Promise<T> =>
  withDatabase(requireThere(location), database => {
    requireCurrent(database)
    return work(database)
  })

/** Throws `database_unopenable` if the file does not exist yet. */
export const requireThere = (location: Location): Location => {
  if (location.dialect === "libsql" || existsSync(location.file)) return location
  throw new Problem("database_unopenable", `${location.file} does not exist yet`)
}

const requireCurrent = (database: Database): void => {
  const schema = schemaOf(database)
  if (schema === newestSchema) return
  throw new Problem(
    schema > newestSchema ? "database_newer" : "database_unopenable",
    `the database has schema ${schema}, this version of svc ${newestSchema}`,
    schema > newestSchema ? {} : {hint: "Start the Host once: it migrates the database."},
  )
}

/**
 * Continues a stopped project with an older copy of its database. Creates a checkpoint of the copy and restores it, so
 * that it gets a new authority, gaps, and held messages, as after any restore. Resolves to what is missing too. Throws
 * `conflict` if the database is not older.
 */
export const acceptOlder = (
  options: StoppedOptions,
  how: Omit<CreateOptions, "reason">,
): Promise<Restored & {readonly missing: string}> =>
  holding(options, async paths => {
    const loaded = await loadStopped(options)
    const location = requireThere(locationOf(loaded.config, paths))
    const {missing, id} = await withDatabase(location, async database => {
      await requireKnownDatabase(database, paths)
      const {authority} = await requireOneHistory({paths, config: loaded.config, database})
      const older = await requireNotOlder(database, authority, paths).catch(problem => problem)
      if (older === undefined)
        throw new Problem("conflict", "the database is not older than what this project has stored", {
          hint: "Nothing is missing: start the Host.",
        })
      if (!isProblem(older, "database_older")) throw older
      const project = {paths, loaded, database, authority, runtimeId: null}
      const {id} = await createAtRest(project, {...how, reason: "accept-older"})
      return {missing: older.message, id}
    })
    const kept = {paths, locate: () => location, replaced: undefined, dataOnly: true}
    const checkpoint = await new CheckpointStore(paths.checkpoints).get(id)
    const restored = await restoreCheckpoint(checkpoint, {...how, ...kept})
    return {...restored, missing}
  })
