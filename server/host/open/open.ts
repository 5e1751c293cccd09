import {hostname} from "node:os"
import {resolve} from "node:path"
import {exit} from "../../../shared/exit.ts"
import type {Log} from "../../../shared/log.ts"
import type {ProblemCode} from "../../../shared/problems.ts"
import {type ConfigText, type LoadedConfig, parseConfig, readConfigText, readEnvironment} from "../../config/load.ts"
import {type Database, type FoundDatabase, openUnmigrated} from "../../database/database.ts"
import type {DatabaseObserver} from "../../database/failing.ts"
import {recordEnd, recordStart} from "../../database/state/runs.ts"
import {resolveAuthority} from "../../project/authority.ts"
import {markStored, requireNotOlder} from "../../project/high-water.ts"
import {requireKnownDatabase, tellingOf, upgradeDatabase} from "../../project/migrate.ts"
import {requireDatabaseFile, requireOneHistory} from "../../project/one-history.ts"
import {foldersOf, locationOf, projectName, requireProject, resolveToken, urlOf} from "../../project/settings.ts"
import {finishInstall} from "../../recovery/build/finish.ts"
import type {Progress} from "../../recovery/files/files.ts"
import {finishRestore} from "../../recovery/restore/swap.ts"
import {makePrivateFolder, removeFolder, syncFolder} from "../../runtime/files.ts"
import {systemClock} from "../../runtime/flow/clock.ts"
import {removeHostFile} from "../../runtime/host-file.ts"
import {acquireLock, type Lock} from "../../runtime/lock.ts"
import {RunLog, type RunLogOptions} from "../../runtime/logs/runs/run-log.ts"
import type {Exit} from "../../runtime/part.ts"
import {type ProjectPaths, projectPaths} from "../../runtime/project.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {uuid} from "../../runtime/uuid.ts"
import {version} from "../../runtime/version.ts"
import {reconcileJobFile} from "../../scheduler/job-file/reconcile-job-file.ts"
import type {Entrance} from "./entrance.ts"
import type {HostOptions} from "./host.ts"
import {chooseLastGood, requireSameSchema} from "./last-good.ts"
import type {Parts} from "./parts.ts"
import type {ProvisionalOptions} from "./provisional.ts"

/** The foundation of a Host, before any part runs: the lock is held, the port answers, the state is open. */
export type OpenProject = Awaited<ReturnType<typeof openProject>>

/** Opens the first parts of a Host. Throws why it cannot start. */
export const openProject = async (options: HostOptions, runtime: Runtime, parts: Parts, entrance: Entrance) => {
  const identity = {runtimeId: uuid(), startedAt: Date.now()}
  const held = await hold(options, identity, parts)
  const lastGood = await chooseLastGood(options, held.paths)
  const configured = await configure(options, held.paths, lastGood?.config)
  const listening = await listen(configured.boot, entrance, options, parts)
  const reach = reaching({host: options, runtime, ...identity, ...held, ...configured, ...listening})
  const state = await openState(options, runtime, {...identity, ...held, ...configured, reach}, parts)
  if (lastGood !== undefined) await requireSameSchema(lastGood, state.database, held.paths)
  return {...identity, ...held, ...configured, ...listening, ...state, lastGood}
}

interface OwnRun {
  readonly runtimeId: string
  readonly startedAt: number
}

/** Stores the log of this run on disk; returns a function that ends that. */
const keepLog = (logs: HostOptions["logs"], options: RunLogOptions): (() => Promise<void>) => {
  const kept = new RunLog(options)
  const leave = logs.onRecord(json => kept.add(json))
  return () => {
    leave()
    return kept.close()
  }
}

/** Takes the lock, and completes or undoes what earlier processes left unfinished. */
const hold = async ({project: folder, command, supervisor, logs}: HostOptions, run: OwnRun, parts: Parts) => {
  const {runtimeId, startedAt} = run
  const paths = projectPaths(resolve(folder))
  await requireProject(paths)
  const project = await projectName(paths)
  logs.bind({project, runtimeId})
  await makePrivateFolder(paths.state)
  // A process that was killed may have made .svc/ or data/ without syncing the parent folder.
  await syncFolder(paths.project).catch(() => {})
  const holder = {
    kind: "host",
    hostname: hostname(),
    pid: process.pid,
    runtimeId,
    command,
    since: new Date(startedAt).toISOString(),
    supervisor: supervisor(),
  } as const
  const lock = await parts.open({
    name: "the lock",
    start: () => acquireLock(paths, holder),
    close: (_, held) => held.release(),
  })
  await parts.open({
    name: "the log of this run",
    start: () => keepLog(logs, {folder: paths.logs, ...run}),
    close: (_, end) => end(),
    limit: 250,
  })
  parts.add({name: "the Host's file", close: () => removeHostFile(paths, runtimeId)})
  const installed = await finishInstall(paths, command)
  if (installed !== undefined) logs.log.warn(`an interrupted install was ${installed}`)
  const settled = await finishRestore(paths)
  if (settled !== undefined) logs.log.warn(`an interrupted restore was ${settled}`)
  await removeFolder(paths.pluginCache)
  return {paths, project, lock}
}

/** Reads the environment, then the configuration: the project's, or `instead`. */
const configure = async ({mode, logs, environment = mode}: HostOptions, paths: ProjectPaths, instead?: ConfigText) => {
  const readVariables = async () => (await readEnvironment(paths.project, environment, process.env)).variables
  const boot = parseConfig(instead ?? (await readConfigText(paths.config)), await readVariables())
  logs.hide(boot.secrets)
  logs.setLevel(boot.config.log_level)
  const token = resolveToken(boot, mode)
  if (token.made !== undefined) logs.hide([token.made.reveal()])
  return {readVariables, boot, token}
}

/** Opens the port; from now on `/pub/health` answers 200. */
const listen = async ({config}: LoadedConfig, entrance: Entrance, {logs}: HostOptions, parts: Parts) => {
  const {gate, listener} = await parts.open({
    name: "the listener",
    start: () => entrance.open({...config.http, status: config.status}),
    close: (_, opened) => opened.listener.close(true),
  })
  const url = urlOf(config, listener.port)
  logs.log.debug(`listening on ${url}`)
  return {gate, listener, url}
}

/** Reads the configuration before anything opens: the Host's address and its folders. Throws as `configure`. */
export const readPlaces = async (options: HostOptions) => {
  const paths = projectPaths(resolve(options.project))
  const configured = await configure(options, paths)
  const {config} = configured.boot
  return {
    ...configured,
    paths,
    http: {...config.http, status: config.status},
    folders: foldersOf(locationOf(config, paths), paths),
  }
}

interface Configured extends OwnRun {
  readonly paths: ProjectPaths
  readonly lock: Lock
  readonly boot: LoadedConfig
  readonly reach: Reach
}

/** Opens the database, with the policy for an unreachable one. */
type Reach = (open: () => Promise<Database>) => Promise<Database>

/** Waits without a limit for a remote database that readiness does not require. Opens any other database once. */
const reaching =
  (options: ProvisionalOptions): Reach =>
  async open => {
    const {database, http} = options.boot.config
    if (database.dialect !== "libsql" || http.readiness.database) return open()
    const {reachDatabase} = await import("./provisional.ts")
    return reachDatabase(options, open)
  }

/** The log line when a problem is over, by its code. */
const answering: Partial<Record<ProblemCode, string>> = {
  database_unanswered: "the remote database answers again",
  database_stalled: "the disk of the database answers again",
}

/** Logs once when a remote database or the disk stops answering, and once when it answers again. */
const tellingOfAnswers = (log: Log): DatabaseObserver => {
  let told: string | undefined
  return {
    failing: ({code, message}) => {
      const after = answering[code]
      if (told !== undefined || after === undefined) return
      told = after
      log.error(message, {code})
    },
    recovered: () => {
      if (told !== undefined) log.info(told)
      told = undefined
    },
  }
}

/** Opens the database, requires one history of all state, migrates, settles authority and job file, records the run. */
const openState = async (
  {mode, logs: {log}, signal, isScratch = false, clock = systemClock}: HostOptions,
  runtime: Runtime,
  {runtimeId, paths, lock, boot, reach}: Configured,
  parts: Parts,
) => {
  const {promise: exitAsked, resolve: askExit} = Promise.withResolvers<Exit>()
  const location = locationOf(boot.config, paths)
  await requireDatabaseFile(location, paths)
  // A remote database is compared twice: another Host may have changed it before this one took the lease.
  const compare = async (found: FoundDatabase) => {
    await requireKnownDatabase(found, paths)
    const state = await requireOneHistory({paths, config: boot.config, database: found})
    await requireNotOlder(found, state.authority, paths)
    return state
  }
  const database = await parts.open({
    name: "the database",
    start: () =>
      reach(() =>
        openUnmigrated(location, {
          runtimeId,
          signal,
          isScratch,
          whyNotHeld: lock.whyLost,
          beforeLease: async found => void (await compare(found)),
          onLeaseLost: why => {
            log.error(`${why.message}; the Host stops sending and exits`, {code: why.code})
            // The answers that report the lost lease must leave before the Host exits.
            setTimeout(() => askExit({code: exit.runtimeRestart, reason: why.code}), 50)
          },
        }),
      ),
    close: (_, opened) => opened.close(),
  })
  parts.requireRunning()
  database.observe(tellingOfAnswers(log))
  const found = await compare(database)
  const atRest = {paths, loaded: boot, database, authority: found.authority, runtimeId}
  const upgraded = await upgradeDatabase(atRest, {
    signal,
    tell: text => log.warn(text),
    progress: tellingSlow(text => log.info(text)),
  })
  if (upgraded.applied.length > 0) log.info(`the database is at schema version ${upgraded.to}`)
  const authority = await resolveAuthority(database, paths.authority, found.file)
  await parts.open({
    name: "the mark of what is stored",
    start: () => markStored(database, authority, paths.highWater, log),
    close: (_, end) => end(),
  })
  const content = await reconcileJobFile(database, paths, authority, text => log.warn(text))
  const history = await parts.open({
    name: "the record of this run",
    start: () =>
      recordStart(database, {
        runtimeId,
        startedAt: clock.now(),
        mode,
        version,
        runtime: `${runtime.name} ${runtime.version}`,
      }),
    close: ({code, reason}) => recordEnd(database, runtimeId, code, reason),
  })
  await database.write(tellingOf(upgraded))
  if (!history.endedCleanly) log.warn("the last run did not end cleanly")
  return {exitAsked, askExit, database, authority, content, history}
}

/** Logs the progress of long work at startup every two seconds. */
const tellingSlow = (tell: (text: string) => void): Progress => {
  let last = performance.now()
  return (step, done, total) => {
    if (performance.now() - last < 2000) return
    last = performance.now()
    tell(total > 0 ? `${step}: ${Math.floor((done / total) * 100)} %` : step)
  }
}
