import {join, resolve} from "node:path"
import {unreadyIn} from "../../../shared/api/configuration/unready.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import type {LoadedConfig} from "../../config/load.ts"
import {type Database, type Location, openUnmigrated} from "../../database/database.ts"
import {migrations, newestSchema} from "../../database/migrations/migrations.ts"
import {readStorage} from "../../database/upkeep/compact.ts"
import {GenerationHistory, renumbering} from "../../generation/history.ts"
import {requireKnownDatabase} from "../../project/migrate.ts"
import {requireOneHistory} from "../../project/one-history.ts"
import {locationKey, locationOf, resolveToken} from "../../project/settings.ts"
import {isThere} from "../../runtime/files.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {assembleOnce, type Once, type RunOptions, runOnce} from "../once/assemble-once.ts"
import {readRequest, type TrialFiles, type TrialRequest, type TrialResult, trialFiles, writeResult} from "./files.ts"
import {requireInstalled} from "./installed.ts"
import {requireSpace} from "./room.ts"

export interface TrialOptions extends RunOptions {
  /** The folder with the Host's request; the Host deletes it. */
  readonly folder: string
}

type Tried = Omit<Extract<TrialResult, {ok: true}>, "schema" | "ok">

/**
 * Tries the next start of a running Host in this process: configuration, token, runtime and dependencies, a changed address,
 * all plugins, and the migrations if the folder has a copy of the database. It touches neither the Host's lock nor its
 * database, opens no endpoint, and runs no job. Writes its result into the folder. Resolves to whether the start would
 * succeed.
 */
export const tryStart = (options: TrialOptions, runtime: Runtime): Promise<boolean> => {
  const files = trialFiles(resolve(options.folder))
  const end = async (result: Parameters<typeof writeResult>[1]) => {
    await writeResult(files, result)
    return result.ok
  }
  return runOnce(options, runtime, async once => end({ok: true, ...(await attempt(options, files, once))}), end)
}

const attempt = async ({mode}: TrialOptions, files: TrialFiles, once: Once): Promise<Tried> => {
  const request = await readRequest(files)
  const boot = await once.readConfig()
  resolveToken(boot, mode)
  await requireInstalled(once.paths, once.runtime)
  requireSameStore(boot, request)
  await tryAddress(boot, request, once.runtime)
  const {database, untried, isSameDatabase} = await openState({...once, files, boot, request})
  const {generation, components} = await assembleOnce({
    ...once,
    database,
    restorePoint: "trial",
    builds: mode === "production" ? "required" : "fallback",
    cache: join(files.folder, "plugins"),
  })
  const declared = generation.instances.map(({name, registrations}) => ({
    plugin: name,
    names: registrations.migrations.map(each => each.name),
  }))
  return {
    newestSchema,
    migrations: declared.filter(({names}) => names.length > 0),
    isSameDatabase,
    unready: [...unreadyIn(components)],
    untried,
  }
}

/** Throws `workroom_elsewhere` if the configuration names another store: svc does not move work items between stores. */
const requireSameStore = ({config, source}: LoadedConfig, {workroom: {store, records}}: TrialRequest): void => {
  const wanted = config.workroom.store
  if (wanted === store || records === 0) return
  const message = `is ${wanted}, but the work items are in the ${store} store (${records} records)`
  throw new Problem("workroom_elsewhere", `workroom.store ${message}`, {
    issues: [source.issue(["workroom", "store"], message)],
  })
}

/** Binds an address that has changed, and releases it. Throws `port_taken`. */
const tryAddress = async ({config}: LoadedConfig, {address}: TrialRequest, runtime: Runtime): Promise<void> => {
  const {host, port} = config.http
  if (host === address.host && port === address.port) return
  const bind = async (at: number) => {
    const nothing = () => new Response(null, {status: 503})
    const refuse = () => ({status: 503, headers: {}, body: ""})
    const answers = {fetch: nothing, fixed: {}, socket: {upgrade: nothing}, refuse}
    const listener = await runtime.serve({host, port: at, connections: 10, ...answers})
    await listener.close(true)
  }
  await bind(port).catch(async error => {
    // The Host may use that port on another address of this machine; then only the address is tried.
    if (port !== address.port || !isProblem(error, "port_taken")) throw error
    await bind(0)
  })
}

interface Held extends Once {
  readonly files: TrialFiles
  readonly boot: LoadedConfig
  readonly request: TrialRequest
}

/** Opens a copy of the Host's database, a copy of another one that the configuration now names, or an empty database. */
const openState = async (held: Held) => {
  const {files, paths, boot, request} = held
  const location = locationOf(boot.config, paths)
  const isSameDatabase = locationKey(location) === request.database
  if (!isSameDatabase && location.dialect === "sqlite") {
    return {database: await openOther(held, location), untried: [], isSameDatabase}
  }
  if (request.hasCopy) return {database: await migrateCopy(held), untried: [], isSameDatabase}
  const database = await held.open(join(files.folder, "empty.sqlite"))
  if (request.pin !== null) await pin(database, request.pin, held)
  const untried =
    location.dialect === "libsql" && !isSameDatabase ? [`the database at ${new URL(location.url).host}`] : []
  return {database, untried, isSameDatabase}
}

/** Migrates the copy like a start, but without a restore point. Throws `database_newer` and the errors of a migration. */
const migrateCopy = async (held: Held): Promise<Database> => {
  const database = await openCopy(held)
  await database.bringUp(migrations, {signal: held.signal, restorePoint: "trial"})
  return database
}

const openCopy = async ({files, paths, open}: Held): Promise<Database> => {
  const database = await open(files.copy, openUnmigrated)
  await requireKnownDatabase(database, paths)
  return database
}

/** Opens a copy of a file that the Host does not have open. Throws also for a foreign or missing database. */
const openOther = async (held: Held, location: Extract<Location, {dialect: "sqlite"}>): Promise<Database> => {
  const {files, paths, boot, signal} = held
  const {file} = location
  if (await isThere(file)) {
    const {file: size, log} = await readStorage(file)
    await requireSpace(files.folder, 2 * (size + log), `a copy of ${file}`)
    const {snapshotFile} = await import("../../database/upkeep/maintenance.ts")
    await snapshotFile(file, files.copy, signal)
  }
  const database = await openCopy(held)
  const reader = {location, state: database.state, read: database.read.bind(database)}
  await requireOneHistory({paths, config: boot.config, database: reader})
  await database.bringUp(migrations, {signal, restorePoint: "trial"})
  return database
}

/** Pins an empty database like the Host's: a start runs the pinned configuration until the file changes. */
const pin = async (database: Database, {number, config, fileSha256}: NonNullable<TrialRequest["pin"]>, held: Held) => {
  await new GenerationHistory(database).commit({
    committedAt: Date.now(),
    runtimeId: held.runtimeId,
    reason: "pinned",
    config: {file: `generation ${number}`, text: config, sha256: ""},
    plugins: {},
    pin: {number, fileSha256},
  })
  await database.write([renumbering(number)])
}
