import {randomUUID} from "node:crypto"
import {constants, existsSync} from "node:fs"
import {copyFile} from "node:fs/promises"
import {join} from "node:path"
import type {MigrationReport, MigrationView} from "../../../shared/api/database.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Database, schemaOf} from "../../database/database.ts"
import type {Applied} from "../../database/migrations/migrate.ts"
import {migrations} from "../../database/migrations/migrations.ts"
import type {RemoteAddress} from "../../database/remote/remote.ts"
import {readStorage} from "../../database/upkeep/compact.ts"
import {snapshotFile} from "../../database/upkeep/maintenance.ts"
import {withDatabase} from "../../database/without-host.ts"
import {readApplied} from "../../generation/plugins/plugin-migrations.ts"
import type {Progress} from "../../recovery/files/files.ts"
import {freeSpace, makePrivateFolder, removeFolder} from "../../runtime/files.ts"
import {type ProjectPaths, projectPaths} from "../../runtime/project.ts"
import {readPages} from "../capacity/growth.ts"
import {holding, loadStopped, type StoppedOptions} from "../held.ts"
import {requireNotOlder} from "../high-water.ts"
import {requireKnownDatabase, tellingOf, type UpgradeOptions, upgradeDatabase} from "../migrate.ts"
import {requireOneHistory} from "../one-history.ts"
import {locationOf} from "../settings.ts"
import {requireThere} from "./database.ts"

/** Migrates like the next start. Throws `locked`, `migration_refused`, `authority_mismatch`, `database_newer`. */
export const migrateStopped = (options: StoppedOptions, how: UpgradeOptions): Promise<MigrationReport> =>
  holding(options, async paths => {
    const loaded = await loadStopped(options)
    return withDatabase(requireThere(locationOf(loaded.config, paths)), async database => {
      await requireKnownDatabase(database, paths)
      const {authority} = await requireOneHistory({paths, config: loaded.config, database})
      await requireNotOlder(database, authority, paths)
      const before = await sizeOf(database)
      const upgraded = await upgradeDatabase({paths, loaded, database, authority, runtimeId: null}, how)
      await database.write(tellingOf(upgraded))
      return {
        ...(await report(database, upgraded.from, upgraded.applied, before)),
        dryRun: false,
        checkpoint: upgraded.checkpoint?.id ?? null,
      }
    })
  })

/**
 * Migrates a copy, and deletes it afterwards. Never writes to the original. Beside a running Host, a separate process copies
 * the database. Throws `migration_refused` if no copy can be made.
 */
export const rehearseMigrations = async (
  options: StoppedOptions,
  isRunning: boolean,
  progress: Progress,
): Promise<MigrationReport> => {
  const paths = projectPaths(options.project)
  const {config} = await loadStopped(options)
  const location = requireThere(locationOf(config, paths))
  const folder = join(paths.temporary, `migrate-${randomUUID()}`)
  const copyLocally = async (file: string, copy: string) => {
    await requireRoom(file, paths)
    if (isRunning) await snapshotFile(file, copy)
    else await holding(options, () => copyStopped(file, copy))
  }
  await makePrivateFolder(folder)
  try {
    const copy = join(folder, "data.sqlite")
    if (location.dialect === "libsql") await copyRemotely(location, copy, progress)
    else await copyLocally(location.file, copy)
    return await withDatabase({dialect: "sqlite", file: copy}, async database => {
      await requireKnownDatabase(database, paths)
      const [from, before] = [schemaOf(database), await sizeOf(database)]
      const {signal} = new AbortController()
      const applied = await database.bringUp(migrations, {signal, restorePoint: "dry-run"})
      return {...(await report(database, from, applied, before)), dryRun: true, checkpoint: null}
    })
  } finally {
    await removeFolder(folder)
  }
}

/** Copies a remote database over its own protocol, while others may write to it. */
const copyRemotely = async (address: RemoteAddress, copy: string, progress: Progress): Promise<void> => {
  // Loaded only here: the client has fifty modules.
  const {copyRemote} = await import("../../database/upkeep/copy-remote.ts")
  await copyRemote(address, copy, (table, rows) => progress(`copying ${table}`, rows, 0))
}

/** Copies the file and its log. Opening the file in SQLite instead would write to it. */
const copyStopped = async (file: string, copy: string): Promise<void> => {
  for (const end of ["", "-wal"])
    if (existsSync(`${file}${end}`)) await copyFile(`${file}${end}`, `${copy}${end}`, constants.COPYFILE_FICLONE)
}

/** Throws if there is too little space: a migration may rewrite all data. */
const requireRoom = async (file: string, {temporary}: ProjectPaths): Promise<void> => {
  const {file: size, log} = await readStorage(file)
  const [needed, free] = [2 * (size + log), await freeSpace(temporary)]
  if (free >= needed) return
  throw new Problem(
    "migration_refused",
    `a dry run needs up to ${needed} bytes, but ${temporary} has only ${free} free`,
    {hint: "Free enough space, then repeat the command."},
  )
}

const sizeOf = async (database: Database): Promise<number | null> => {
  if (database.location.dialect !== "sqlite") return null
  const {used, unused} = await readPages(database)
  return used + unused
}

const report = async (database: Database, from: number, applied: readonly Applied[], before: number | null) => {
  const after = await sizeOf(database)
  return {
    from,
    to: schemaOf(database),
    migrations: applied.map(viewOf),
    plugins: await readApplied(database),
    findings: await examine(database),
    seconds: applied.reduce((sum, {milliseconds}) => sum + milliseconds, 0) / 1000,
    size: before === null || after === null ? null : {before, after},
  }
}

const viewOf = ({version, milliseconds}: Applied): MigrationView => {
  const migration = migrations.find(each => each.version === version)
  return {
    version,
    name: migration?.name ?? "",
    undo: migration !== undefined && "undo" in migration ? migration.undo : null,
    irreversible: migration !== undefined && "irreversible" in migration ? migration.irreversible : null,
    seconds: milliseconds / 1000,
  }
}

/** Resolves to the faults that SQLite finds in the database. */
const examine = async (database: Database): Promise<string[]> => {
  const integrity = (await database.read("PRAGMA integrity_check(10)")).map(row => String(row.integrity_check))
  const keys = await database.read("PRAGMA foreign_key_check")
  return [
    ...integrity.filter(text => text !== "ok"),
    ...keys.slice(0, 10).map(({table, rowid, parent}) => `${table} ${rowid} refers to a missing row of ${parent}`),
  ]
}
