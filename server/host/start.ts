import {Problem} from "../../shared/problems.ts"
import {Capacity} from "../capacity/capacity.ts"
import {watchDisk} from "../capacity/disk-watch.ts"
import {recordEnd} from "../database/runs.ts"
import {policyOf} from "../endpoints/spec.ts"
import {Containment} from "../generation/containment.ts"
import type {Generations} from "../generation/generations.ts"
import {HandlerMeter} from "../inbox/handler-meter.ts"
import {createDispatch} from "../messages/dispatch.ts"
import {usages} from "../messages/help.ts"
import {foldersOf} from "../project/settings.ts"
import {jobsParticipant} from "../recovery/checkpoint/jobs-part.ts"
import {workroomParticipant} from "../recovery/checkpoint/workroom-part.ts"
import {Scope} from "../runtime/flow/scope.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import {removeHostFile, writeHostFile} from "../runtime/host-file.ts"
import type {Runtime} from "../runtime/runtime.ts"
import type {Jobs} from "../scheduler/jobs.ts"
import {openWorkroom, workroomPluginOf} from "../workroom/open.ts"
import {serveApi} from "./api.ts"
import {openEvents} from "./events.ts"
import {createGenerations} from "./generations.ts"
import type {Exit, Host, HostOptions} from "./host.ts"
import {createJobs} from "./jobs.ts"
import {createMessages} from "./messages.ts"
import {openProject, requireRunning} from "./open.ts"
import {createRecovery} from "./recovery.ts"

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
  const {mode, logs, signal} = options
  const {log} = logs
  const opened = await openProject(options, runtime, unwind)
  const {runtimeId, startedAt, paths, project, lock, boot, token} = opened
  const {gate, listener, url, database, authority, content, history} = opened
  const settings = () => currentOf(generations).config.config

  const events = await openEvents({database, project, authority, logs, limits: () => settings().events.history})
  unwind.defer(() => events.close())
  const {outbox, inbox, gaps, ingress, endpoints, satori} = createMessages(
    {database, log, runtimeId, events, base: boot.config.http.base, ingressChanged: () => jobs.ingressChanged()},
    unwind,
  )
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
    settings,
    log,
    scrub: logs.scrubJson,
  })
  unwind.defer(() => recovery.stop())
  const plugins = {workroom: workroomPluginOf(workroom)}
  const {generations, watcher} = await createGenerations(
    {host: options, runtime, opened, plugins, endpoints, events, recovery},
    unwind,
  )
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
    least: () => settings().ingress.minimumFree * 1024 ** 2,
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
    settings: () => settings().retention,
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
    askExit: opened.askExit,
  })
  await satori.start(api.guard)
  await recovery.start()
  capacity.start()
  gate.open(api.fetch, api.isReady, satori.socket)
  const made = token.made === undefined ? {} : {token: token.made.reveal()}
  await writeHostFile(paths, {url, pid: process.pid, runtimeId, ...made})
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
    exitAsked: opened.exitAsked,
    reload,
    stop,
    contain: error => containment.contain(error),
  }
}

const currentOf = (generations: Generations) => {
  if (generations.current === undefined) throw new Problem("starting", "no generation is committed yet")
  return generations.current
}
