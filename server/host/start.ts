import {exit} from "../../shared/exit.ts"
import {watchDisk} from "../capacity/disk-watch.ts"
import {policyOf} from "../endpoints/spec.ts"
import {HandlerMeter} from "../inbox/handler-meter.ts"
import {createDispatch} from "../messages/dispatch.ts"
import {usages} from "../messages/help.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import {writeHostFile} from "../runtime/host-file.ts"
import type {Runtime} from "../runtime/runtime.ts"
import {serveApi} from "./api.ts"
import {assemble} from "./assemble.ts"
import type {Host, HostOptions} from "./host.ts"
import {openProject} from "./open.ts"
import {Parts} from "./parts.ts"

/** What handlers, sends and requests get to end by themselves when the Host stops, in milliseconds. */
const drainLimit = 5000

/** Throws what keeps the Host from starting, with everything undone. */
export const start = async (options: HostOptions, runtime: Runtime): Promise<Host> => {
  const {signal, logs} = options
  const parts = new Parts(logs.log, signal)
  try {
    return await run(options, runtime, parts)
  } catch (error) {
    await parts.stop(
      signal.aborted
        ? {code: exit.ok, reason: "stopped while starting"}
        : {code: exit.failed, reason: "the start failed"},
    )
    throw error
  }
}

/**
 * The table of the Host's parts: they start from top to bottom, and stop from bottom to top. `openProject` and `assemble` are its
 * first rows.
 */
const run = async (options: HostOptions, runtime: Runtime, parts: Parts): Promise<Host> => {
  const {mode, logs} = options
  const {log} = logs
  const opened = await openProject(options, runtime, parts)
  const {runtimeId, startedAt, paths, project, boot, token} = opened
  const {gate, listener, url, database, authority, history} = opened
  const made = await assemble(options, runtime, opened, parts)
  const {current, events, outbox, inbox, gaps, ingress, endpoints, satori, disk} = made
  const {capacity, recovery, watcher, generations, jobs, containment} = made

  await parts.start({name: "the first generation", start: () => generations.start()})
  parts.requireRunning()

  const dispatch = createDispatch({
    current: () => current().snapshot.messages,
    settled: () => generations.settled(),
    log,
    scrub: logs.scrub,
    ...(options.now === undefined ? {} : {now: options.now}),
  })
  const handlers = new HandlerMeter()
  // The stops of inbox and outbox are for a start that fails: at the end of a run both have ended before.
  await parts.start({
    name: "the inbox",
    start: () => inbox.start(handlers.measure(dispatch)),
    stop: () => inbox.drain(),
    limit: 250,
  })
  await parts.start({
    name: "the outbox",
    start: () =>
      outbox.start({
        sender: name => endpoints.get(name)?.sender,
        policy: name => policyOf(endpoints.get(name)?.spec),
        scrub: logs.scrub,
      }),
    stop: () => outbox.drain(),
    limit: 250,
  })
  await parts.start({name: "ingress", start: () => ingress.start()})
  await parts.start({name: "gaps", start: () => gaps.start()})
  await parts.start({
    name: "the watch on the disk",
    early: true,
    start: () => watchDisk({...disk, onChange: isFull => ingress.setDiskFull(isFull), log}),
    stop: (_, watching) => watching.stop(),
  })
  await parts.start({
    name: "the endpoints",
    start: () => endpoints.start(),
    stop: () => endpoints.close(),
    limit: 1500,
    late: "an endpoint did not close in time",
  })

  const api = serveApi({
    base: boot.config.http.base,
    tokens: {token: token.used, demoToken: boot.config.http.demoToken},
    services: {
      ...made,
      identity: {project, runtimeId, authority, mode, startedAt, history, runtime, supervisor: options.supervisor},
      database,
      logs,
      handlers,
      checkpoints: recovery.checkpoints,
      releases: recovery.releases,
    },
    askExit: opened.askExit,
  })
  parts.add({
    name: "connections",
    stop: async () => {
      await withTimeLimit(250, () => listener.close(false)).catch(() => {})
      await listener.close(true)
    },
  })
  parts.add({name: "event streams", stop: () => events.endStreams()})
  await parts.start({name: "Satori", start: () => satori.start(api.guard), stop: () => satori.close()})
  parts.add({name: "sends", stop: () => outbox.drain(), limit: 1000})
  parts.add({
    name: "handlers, jobs, sends and requests",
    stop: async () => {
      await Promise.all([inbox.drain(), jobs.drain()])
      await outbox.settled()
      await api.settled()
    },
    limit: drainLimit,
    late: "handlers, sends or requests were still running; the next start goes on with what is stored",
  })
  await parts.start({name: "the jobs", start: () => jobs.start()})
  await parts.start({name: "checkpoints and releases", start: () => recovery.start()})
  await parts.start({name: "the deletion of old rows", start: () => capacity.start()})
  await parts.start({
    name: "the service",
    early: true,
    start: () => gate.open(api.fetch, api.isReady, satori.socket),
    stop: ({code, reason}) => {
      api.stopping()
      events.raise("host.stopping", {code, reason})
    },
  })
  // Who finds the file may ask at once.
  await parts.start({
    name: "the Host's file",
    start: () => {
      const own = token.made === undefined ? {} : {token: token.made.reveal()}
      return writeHostFile(paths, {url, pid: process.pid, runtimeId, ...own})
    },
  })
  events.started(runtime, mode, history)

  // What keeps a draft from being committed is logged and shown in the status.
  const reload = (reason: string) =>
    api.reload(reason, false).then(
      () => {},
      () => {},
    )
  watcher?.onChange(path => void reload(`changed: ${path}`))
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
    commands: () => usages(current().snapshot.messages.router),
    exitAsked: opened.exitAsked,
    reload,
    stop: async ending => {
      log.info(`stopping (${ending.reason})`)
      await parts.stop(ending)
      log.info("stopped")
    },
    contain: error => containment.contain(error),
  }
}
