import {existsSync} from "node:fs"
import type {Compacted, DatabaseInfo} from "../shared/database.ts"
import {Problem} from "../shared/problems.ts"
import {readEnvironment} from "./config/environment.ts"
import {type LoadedConfig, parseConfig, readConfigText} from "./config/load.ts"
import {readPages} from "./database/capacity.ts"
import {compactFile} from "./database/compact.ts"
import {type Database, type Location, openUnmigrated} from "./database/database.ts"
import {migrations} from "./database/migrations.ts"
import {readStorage} from "./database/storage.ts"
import {readInfo} from "./host-capacity.ts"
import {foldersOf, locationOf} from "./host-settings.ts"
import {holding, type StoppedOptions} from "./host-stopped.ts"
import type {ProjectPaths} from "./runtime/project.ts"

/** What `svc database info` shows, of a project that nothing runs. */
export const infoStopped = (options: StoppedOptions, tables: boolean): Promise<DatabaseInfo> =>
  holding(options, async paths => {
    const {config} = await load(options, paths)
    const location = requireThere(locationOf(config, paths))
    return withDatabase(location, database => {
      requireCurrent(database)
      const least = () => config.ingress.minimumFree * 1024 ** 2
      return readInfo(database, {folders: foldersOf(location, paths), least}, config.retention, tables)
    })
  })

/** Compacts the database of a project that nothing runs. Throws `compact_unavailable`, and what `compactFile` throws. */
export const compactStopped = (options: StoppedOptions, dryRun: boolean): Promise<Compacted> =>
  holding(options, async paths => {
    const {config} = await load(options, paths)
    const location = requireThere(locationOf(config, paths))
    if (location.dialect !== "sqlite")
      throw new Problem("compact_unavailable", "a remote database is compacted by its own server")
    const {file: before} = await readStorage(location.file)
    if (!dryRun) await compactFile(location.file)
    const after = dryRun ? await usedOf(location) : (await readStorage(location.file)).file
    return {dryRun, dropped: 0, before, after}
  })

const usedOf = (location: Location): Promise<number> =>
  withDatabase(location, async database => (await readPages(database)).used)

const load = async ({project, environment}: StoppedOptions, paths: ProjectPaths): Promise<LoadedConfig> =>
  parseConfig(await readConfigText(paths.config), (await readEnvironment(project, environment, process.env)).variables)

const requireThere = (location: Location): Location => {
  if (location.dialect === "libsql" || existsSync(location.file)) return location
  throw new Problem("database_unopenable", `${location.file} does not exist yet`)
}

const requireCurrent = ({state}: Database): void => {
  const schema = state.is === "initialized" ? state.schema : 0
  const newest = migrations.at(-1)?.version ?? 0
  if (schema === newest) return
  throw new Problem(
    schema > newest ? "database_newer" : "database_unopenable",
    `the database has schema ${schema}, this version of svc ${newest}`,
    schema > newest ? {} : {hint: "Start the Host once: it brings the schema up."},
  )
}

const withDatabase = async <T>(location: Location, work: (database: Database) => Promise<T>): Promise<T> => {
  const signal = new AbortController().signal
  const database = await openUnmigrated(location, {runtimeId: "none", signal, onLeaseLost: () => {}})
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
