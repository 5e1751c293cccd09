import {hostname} from "node:os"
import {resolve} from "node:path"
import {v7 as uuid} from "uuid"
import {exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {readEnvironment} from "../config/environment.ts"
import {type LoadedConfig, parseConfig, readConfigText} from "../config/load.ts"
import {settleAuthority} from "../database/authority.ts"
import {openUnmigrated} from "../database/database.ts"
import {recordEnd, recordStart} from "../database/runs.ts"
import {createGate} from "../http/gate.ts"
import {requireKnownDatabase, tellingOf, upgradeDatabase} from "../project/migrate.ts"
import {requireOneHistory} from "../project/one-history.ts"
import {locationOf, projectName, requireProject, settleToken, urlOf} from "../project/settings.ts"
import {settleRestore} from "../recovery/restore/swap.ts"
import {makePrivateFolder, removeFolder} from "../runtime/files.ts"
import type {Scope} from "../runtime/flow/scope.ts"
import {acquireLock} from "../runtime/lock.ts"
import {type ProjectPaths, projectPaths} from "../runtime/project.ts"
import type {Runtime} from "../runtime/runtime.ts"
import {version} from "../runtime/version.ts"
import {settleJobFile} from "../scheduler/job-file/settle-job-file.ts"
import type {Exit, HostOptions} from "./host.ts"

/** What a Host stands on before anything of it runs: the project is held, its port answers, its state is open. */
export type OpenProject = Awaited<ReturnType<typeof openProject>>

/** Throws what keeps the Host from starting; what was acquired by then is undone by `unwind`. */
export const openProject = async (options: HostOptions, runtime: Runtime, unwind: Scope) => {
  const identity = {runtimeId: uuid(), startedAt: Date.now()}
  const held = await hold(options, identity, unwind)
  const configured = await configure(options, held.paths)
  const listening = await listen(configured.boot, runtime, options, unwind)
  const state = await openState(options, runtime, {...identity, ...held, ...configured}, unwind)
  return {...identity, ...held, ...configured, ...listening, ...state}
}

interface Identity {
  readonly runtimeId: string
  readonly startedAt: number
}

/** Takes the lock, and deals with what earlier processes left. */
const hold = async ({project: folder, command, supervisor, logs}: HostOptions, identity: Identity, unwind: Scope) => {
  const {runtimeId, startedAt} = identity
  const paths = projectPaths(resolve(folder))
  await requireProject(paths)
  const project = await projectName(paths)
  logs.bind({project, runtimeId})
  await makePrivateFolder(paths.state)
  const since = new Date(startedAt).toISOString()
  const lock = await acquireLock(paths, {
    kind: "host",
    hostname: hostname(),
    pid: process.pid,
    runtimeId,
    command,
    since,
    supervisor: supervisor(),
  })
  unwind.defer(() => lock.release())
  const settled = await settleRestore(paths)
  if (settled !== undefined) logs.log.warn(`a restore that was cut off is ${settled}`)
  await removeFolder(paths.pluginCache)
  return {paths, project, lock}
}

/** Environment, then configuration. */
const configure = async ({mode, logs, environment = mode}: HostOptions, paths: ProjectPaths) => {
  const readVariables = async () => (await readEnvironment(paths.project, environment, process.env)).variables
  const boot = parseConfig(await readConfigText(paths.config), await readVariables())
  logs.hide(boot.secrets)
  logs.setLevel(boot.config.log_level)
  const token = settleToken(boot, mode)
  if (token.made !== undefined) logs.hide([token.made.reveal()])
  return {readVariables, boot, token}
}

/** From now on `/pub/health` answers 200. */
const listen = async ({config}: LoadedConfig, runtime: Runtime, {logs}: HostOptions, unwind: Scope) => {
  const gate = createGate(config.http.base)
  const listener = await runtime.serve({...config.http, fetch: gate.fetch, fixed: gate.fixed, socket: gate.socket})
  unwind.defer(() => listener.close(true))
  const url = urlOf(config, listener.port)
  logs.log.debug(`listening on ${url}`)
  return {gate, listener, url}
}

interface Configured extends Identity {
  readonly paths: ProjectPaths
  readonly boot: LoadedConfig
}

/** Database, one history, migrations, authority, job file, and the record of this run. */
const openState = async (
  {mode, logs: {log}, signal}: HostOptions,
  runtime: Runtime,
  {runtimeId, startedAt, paths, boot}: Configured,
  unwind: Scope,
) => {
  const {promise: exitAsked, resolve: askExit} = Promise.withResolvers<Exit>()
  const database = await openUnmigrated(locationOf(boot.config, paths), {
    runtimeId,
    signal,
    // The answers that tell of it leave before the Host does.
    onLeaseLost: () => void setTimeout(() => askExit({code: exit.runtimeRestart, reason: "lease_lost"}), 50),
  })
  unwind.defer(() => database.close())
  requireRunning(signal)
  await requireKnownDatabase(database, paths)
  const found = await requireOneHistory({paths, config: boot.config, database})
  const atRest = {paths, loaded: boot, database, authority: found.authority, runtimeId}
  const upgraded = await upgradeDatabase(atRest, {signal, tell: text => log.warn(text)})
  if (upgraded.applied.length > 0) log.info(`the database is at schema version ${upgraded.to}`)
  const authority = await settleAuthority(database, paths.authority, found.file)
  const content = await settleJobFile(database, paths.jobs, authority)
  const run = {runtimeId, startedAt, mode, version, runtime: `${runtime.name} ${runtime.version}`}
  const history = await recordStart(database, run)
  unwind.defer(() =>
    signal.aborted
      ? recordEnd(database, runtimeId, exit.ok, "stopped while starting")
      : recordEnd(database, runtimeId, exit.failed, "the start failed"),
  )
  await database.write(tellingOf(upgraded))
  if (!history.endedCleanly) log.warn("the run before this one did not end in order")
  return {exitAsked, askExit, database, authority, content, history}
}

/** Throws `stopping` where a signal has asked for the end of a start. */
export const requireRunning = (signal: AbortSignal): void => {
  if (signal.aborted) throw new Problem("stopping", "the start was ended by a signal")
}
