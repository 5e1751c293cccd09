import {hostname} from "node:os"
import {resolve} from "node:path"
import {v7 as uuid} from "uuid"
import {exit} from "../shared/exit.ts"
import {Problem} from "../shared/problems.ts"
import {watchDisk} from "./capabilities/disk-watch.ts"
import {policyOf} from "./capabilities/endpoint.ts"
import {Endpoints} from "./capabilities/endpoints.ts"
import {Gaps} from "./capabilities/gaps.ts"
import {HandlerMeter} from "./capabilities/handler-meter.ts"
import {Inbox} from "./capabilities/inbox.ts"
import {Ingress} from "./capabilities/ingress.ts"
import {Outbox} from "./capabilities/outbox.ts"
import {readEnvironment} from "./config/environment.ts"
import {parseConfig, readConfigText} from "./config/load.ts"
import {settleAuthority} from "./database/authority.ts"
import {openDatabase} from "./database/database.ts"
import {recordEnd, recordStart} from "./database/runs.ts"
import {Containment} from "./generation/containment.ts"
import {Generations} from "./generation/generations.ts"
import {GenerationHistory} from "./generation/history.ts"
import {hashLockfile} from "./generation/lockfile.ts"
import {serveApi} from "./host-api.ts"
import {Capacity} from "./host-capacity.ts"
import {openEvents} from "./host-events.ts"
import type {Exit, Host, HostOptions} from "./host-interface.ts"
import {createJobs} from "./host-jobs.ts"
import {builtIns, sdkPaths} from "./host-plugins.ts"
import {createRecovery} from "./host-recovery.ts"
import {foldersOf, locationOf, projectName, requireProject, settleToken, urlOf} from "./host-settings.ts"
import {openWorkroom, workroomPluginOf} from "./host-workroom.ts"
import {createGate} from "./http/gate.ts"
import {createDispatch} from "./messages/dispatch.ts"
import {usages} from "./messages/help.ts"
import {Loader} from "./plugins/load.ts"
import {jobsParticipant} from "./recovery/jobs-part.ts"
import {settleRestore} from "./recovery/swap.ts"
import {workroomParticipant} from "./recovery/workroom-part.ts"
import {makePrivateFolder, removeFolder} from "./runtime/files.ts"
import {removeHostFile, writeHostFile} from "./runtime/host-file.ts"
import {acquireLock} from "./runtime/lock.ts"
import {projectPaths} from "./runtime/project.ts"
import type {Runtime} from "./runtime/runtime.ts"
import {Scope} from "./runtime/scope.ts"
import {withTimeLimit} from "./runtime/time-limit.ts"
import {SatoriServer} from "./satori/server.ts"
import type {Jobs} from "./scheduler/jobs.ts"
import {settleJobFile} from "./scheduler/settle-job-file.ts"
import {version} from "./version.ts"

/** What handlers, sends and plugins get to end by themselves when the Host stops, in milliseconds. */
const drainLimit = 5000

/** Throws what keeps the Host from starting, with everything undone. */
export const start = async (options: HostOptions, runtime: Runtime): Promise<Host> => {
  const {log} = options.logs
  const unwind = new Scope((message, error) => log.warn(message, {error}))
  try {
    return await assemble(options, runtime, unwind)
  } catch (error) {
    await unwind.dispose()
    throw error
  }
}

const assemble = async (options: HostOptions, runtime: Runtime, unwind: Scope): Promise<Host> => {
  const {mode, logs, signal, environment = options.mode} = options
  const {log} = logs
  const startedAt = Date.now()
  const runtimeId = uuid()
  const paths = projectPaths(resolve(options.project))
  await requireProject(paths)
  const project = await projectName(paths)
  logs.bind({project, runtimeId})

  await makePrivateFolder(paths.state)
  const lock = await acquireLock(paths, {
    kind: "host",
    hostname: hostname(),
    pid: process.pid,
    runtimeId,
    command: options.command,
    since: new Date(startedAt).toISOString(),
  })
  unwind.defer(() => lock.release())
  const settled = await settleRestore(paths)
  if (settled !== undefined) log.warn(`a restore that was cut off is ${settled}`)
  await removeFolder(paths.pluginCache)

  const readVariables = async () => (await readEnvironment(paths.project, environment, process.env)).variables
  const boot = parseConfig(await readConfigText(paths.config), await readVariables())
  logs.hide(boot.secrets)
  logs.setLevel(boot.config.log_level)
  const token = settleToken(boot, mode)
  if (token.made !== undefined) logs.hide([token.made.reveal()])

  const gate = createGate(boot.config.http.base)
  const listener = await runtime.serve({...boot.config.http, fetch: gate.fetch, fixed: gate.fixed, socket: gate.socket})
  unwind.defer(() => listener.close(true))
  const url = urlOf(boot.config, listener.port)
  log.debug(`listening on ${url}`)

  let askExit: (exit: Exit) => void = () => {}
  const exitAsked = new Promise<Exit>(resolve => {
    askExit = resolve
  })
  const database = await openDatabase(locationOf(boot.config, paths), {
    runtimeId,
    signal,
    // The answers that tell of it leave before the Host does.
    onLeaseLost: () => void setTimeout(() => askExit({code: exit.runtimeRestart, reason: "lease_lost"}), 50),
  })
  unwind.defer(() => database.close())
  requireRunning(signal)
  if (database.applied.length > 0) log.info(`the database is at schema version ${database.applied.at(-1)}`)
  const authority = await settleAuthority(database, paths.authority)
  const content = await settleJobFile(database, paths.jobs, authority)
  const history = await recordStart(database, {
    runtimeId,
    startedAt,
    mode,
    version,
    runtime: `${runtime.name} ${runtime.version}`,
  })
  unwind.defer(() =>
    signal.aborted
      ? recordEnd(database, runtimeId, exit.ok, "stopped while starting")
      : recordEnd(database, runtimeId, exit.failed, "the start failed"),
  )
  if (!history.endedCleanly) log.warn("the run before this one did not end in order")

  const events = await openEvents({
    database,
    project,
    authority,
    logs,
    limits: () => currentOf(generations).config.config.events.history,
  })
  unwind.defer(() => events.close())
  const outbox = new Outbox(database, log, {requireOpen: () => ingress.requireOpen("nothing new is sent")})
  const inbox = new Inbox(database, outbox, runtimeId, log)
  const gaps = new Gaps(database, log)
  const observeAll = (at: number) => {
    for (const endpoint of endpoints.list()) gaps.observe(endpoint, at)
    jobs.ingressChanged()
  }
  const ingress: Ingress = new Ingress(database, log, observeAll, events.raise)
  const endpoints: Endpoints = new Endpoints({
    receive: (endpoint, event) => satori.hearOf(inbox.receive(endpoint, event)),
    online: endpoint => outbox.online(endpoint.spec.name),
    changed: (endpoint, at) => {
      gaps.observe(endpoint, at)
      events.endpointChanged(endpoint)
      satori.loginsChanged()
    },
    listening: endpoint => gaps.observe(endpoint),
    named: () => satori.loginsChanged(),
    isPaused: () => ingress.isPaused,
  })
  unwind.defer(() => endpoints.close())
  const satori = new SatoriServer({
    database,
    log,
    endpoints: () => endpoints.list(),
    path: `${boot.config.http.base}/satori/v1/events`,
  })
  unwind.defer(() => satori.close())
  const workroom = await openWorkroom({config: boot.config, database, paths, authority, log})
  unwind.defer(() => workroom.close())
  const recovery = createRecovery({
    paths,
    project,
    authority,
    runtimeId,
    database,
    participants: [workroomParticipant(paths, workroom), jobsParticipant(paths)],
    ingress,
    settings: () => currentOf(generations).config.config,
    log,
    scrub: logs.scrubJson,
  })
  unwind.defer(() => recovery.stop())
  const loader = new Loader({
    runtime,
    paths,
    builtIns: {...builtIns, workroom: workroomPluginOf(workroom), ...options.plugins},
    preferBuilt: mode === "production",
    cache: paths.pluginCache,
    sdk: sdkPaths,
  })
  const watcher = options.watch
    ? await (await import("./generation/watch.ts")).watchProject(paths, environment)
    : undefined
  unwind.defer(() => watcher?.close())
  const generations: Generations = new Generations({
    project: paths.project,
    database,
    loader,
    log,
    runtimeId,
    configFile: paths.config,
    history: new GenerationHistory(database),
    endpoints,
    mayChangeCode: mode !== "production",
    readVariables,
    readLockfile: () => hashLockfile(paths.project),
    signal,
    hide: values => {
      logs.hide(values)
      recovery.hide(values)
    },
    onState: events.instanceChanged,
    onFail: events.failed,
    onCommit: generation => {
      recovery.learn(generation.config)
      logs.setLevel(generation.config.config.log_level)
      logs.bind({generation: generation.number})
      watcher?.add(generation.instances.flatMap(({plugin}) => plugin.files))
      log.info(`generation ${generation.number} committed (${generation.reason})`)
    },
  })
  unwind.defer(() => generations.stop(0))
  const jobs: Jobs = createJobs({
    database,
    log,
    scrub: logs.scrub,
    runtimeId,
    authority,
    paths,
    content,
    outbox,
    endpoints,
    generations,
    ingress,
    workroom,
  })
  const containment = new Containment(generations, log)
  await generations.start()
  requireRunning(signal)
  const dispatch = createDispatch({
    current: () => currentOf(generations).snapshot.messages,
    settled: () => generations.settled(),
    log,
    scrub: logs.scrub,
    ...(options.now === undefined ? {} : {now: options.now}),
  })
  const handlers = new HandlerMeter()
  await inbox.start(handlers.measure(dispatch))
  await outbox.start({
    sender: name => endpoints.get(name)?.sender,
    policy: name => policyOf(endpoints.get(name)?.spec),
    scrub: logs.scrub,
  })
  await ingress.start()
  await gaps.start()
  const limit = {
    folders: foldersOf(database.location, paths),
    least: () => currentOf(generations).config.config.ingress.minimumFree * 1024 ** 2,
  }
  const disk = await watchDisk({
    ...limit,
    onChange: isFull => ingress.setDiskFull(isFull),
    log,
  })
  unwind.defer(() => disk.stop())
  const capacity = new Capacity({
    database,
    log,
    settings: () => currentOf(generations).config.config.retention,
    reachedAll: () => satori.hasReachedAll,
    disk: limit,
  })
  unwind.defer(() => capacity.stop())
  endpoints.start()
  await jobs.start()
  unwind.defer(() => jobs.drain())

  const api = serveApi({
    boot,
    tokens: {token: token.used, demoToken: boot.config.http.demoToken},
    facts: {project, runtimeId, authority, mode, startedAt, history, runtime, supervisor: options.supervisor},
    services: {
      generations,
      endpoints,
      database,
      events,
      inbox,
      outbox,
      ingress,
      jobs,
      logs,
      satori,
      handlers,
      disk: limit,
      capacity,
      workroom,
      checkpoints: recovery.checkpoints,
      releases: recovery.releases,
    },
    askExit,
  })
  await satori.start(api.guard)
  await recovery.start()
  capacity.start()
  gate.open(api.fetch, api.isReady, satori.socket)
  await writeHostFile(paths, {
    url,
    pid: process.pid,
    runtimeId,
    ...(token.made === undefined ? {} : {token: token.made.reveal()}),
  })
  unwind.defer(() => removeHostFile(paths))
  // What keeps a draft from being committed is logged and shown in the status.
  const reload = (reason: string) =>
    api.reload(reason, false).then(
      () => {},
      () => {},
    )
  watcher?.onChange(path => void reload(`changed: ${path}`))

  const stop = async ({code, reason}: Exit): Promise<void> => {
    log.info(`stopping (${reason})`)
    api.stopping()
    events.raise("host.stopping", {code, reason})
    await watcher?.close()
    disk.stop()
    const left = gaps.stop()
    const given = recovery.stop()
    const kept = capacity.stop()
    endpoints.stopAdmission()
    await withTimeLimit(drainLimit, async () => {
      await Promise.all([inbox.drain(), jobs.drain()])
      await outbox.settled()
      await api.settled()
    }).catch(() =>
      log.warn("handlers, sends or requests were still running; the next start goes on with what is stored"),
    )
    await withTimeLimit(1000, () => outbox.drain()).catch(() => {})
    satori.close()
    await events.endStreams()
    await withTimeLimit(250, () => listener.close(false)).catch(() => {})
    await listener.close(true)
    await withTimeLimit(1500, () => endpoints.close()).catch(() => log.warn("an endpoint did not close in time"))
    await withTimeLimit(2000, () => generations.stop(500)).catch(() => log.warn("a plugin did not let go in time"))
    await withTimeLimit(250, () => left).catch(() => log.warn("when the endpoints left was not stored"))
    await withTimeLimit(1000, () => given).catch(() => log.warn("a checkpoint that was being made did not end in time"))
    await withTimeLimit(1000, () => kept).catch(() => log.warn("dropping old rows did not end in time"))
    await workroom.close().catch(error => log.error("the workroom did not close in order", {error}))
    await recordEnd(database, runtimeId, code, reason).catch(error => log.error("the end was not recorded", {error}))
    await events.close()
    await database.close()
    await removeHostFile(paths)
    await lock.release()
    log.info("stopped")
  }
  events.started(runtime, mode, history)
  return {
    url,
    runtimeId,
    project,
    authority,
    generations,
    endpoints,
    database,
    inbox,
    outbox,
    token: token.made,
    commands: () => usages(currentOf(generations).snapshot.messages.router),
    exitAsked,
    reload,
    stop,
    contain: error => containment.contain(error),
  }
}

/** Throws `stopping` where a signal has asked for the end of a start. */
const requireRunning = (signal: AbortSignal) => {
  if (signal.aborted) throw new Problem("stopping", "the start was ended by a signal")
}

const currentOf = (generations: Generations) => {
  if (generations.current === undefined) throw new Problem("starting", "no generation is committed yet")
  return generations.current
}
