import {resolve} from "node:path"
import {exit} from "../../shared/exit.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Generations} from "../generation/generations.ts"
import {createExitWatch} from "../generation/instances/exits.ts"
import {RequestMeter} from "../http/request-meter.ts"
import type {Dispatch} from "../inbox/intake/handling.ts"
import {recallEnds} from "../inbox/newest.ts"
import {usages} from "../messages/command/help.ts"
import {createDispatch} from "../messages/dispatch.ts"
import {HandlerMeter} from "../messages/handler-meter.ts"
import {projectName, requireProject, urlOf} from "../project/settings.ts"
import {recordStart, tooManyStarts, writeStarts} from "../project/starts.ts"
import {isPlannedEnd} from "../runtime/part.ts"
import {projectPaths} from "../runtime/project.ts"
import type {Runtime} from "../runtime/runtime.ts"
import {uuid} from "../runtime/uuid.ts"
import {version} from "../runtime/version.ts"
import {createApi} from "./api.ts"
import {listParts} from "./list-parts.ts"
import {Entrance} from "./open/entrance.ts"
import type {Host, HostOptions} from "./open/host.ts"
import {countFailedStart} from "./open/last-good.ts"
import {openProject, readPlaces} from "./open/open.ts"
import {Parts, stopLimit} from "./open/parts.ts"
import {Patience, type Wait} from "./open/patience.ts"
import {createParts} from "./parts/create-parts.ts"
import type {Sources} from "./parts/sources.ts"
import {createStatusPage} from "./status-page.ts"
import {createSystem, type SystemOptions} from "./system.ts"
import {createTrials} from "./trial/trials.ts"

/**
 * Starts a Host. Throws why it cannot start, after undoing everything. For a failure that may pass, it waits with the
 * socket open and retries in the same process, so that the supervisor counts one start.
 */
export const start = async (options: HostOptions, runtime: Runtime): Promise<Host> => {
  const {signal, logs, mode, supervisor} = options
  const paths = projectPaths(resolve(options.project))
  await requireProject(paths)
  const starts = recordStart(paths.starts, supervisor())
  const folders = async () => (await readPlaces(options).catch(() => undefined))?.folders ?? [paths.state]
  const patience = new Patience({mode, log: logs.log, signal, folders})
  const entrance = new Entrance(runtime, logs.log)
  const own: Process = {entrance, startedAt: Date.now(), tooManyStarts: () => tooManyStarts(starts, supervisor())}
  options.onUnaskedExit?.(createExitWatch(logs.log, () => own.generations?.running.current?.instances))
  try {
    for (;;) {
      const attempt = await tryOnce(options, runtime, own, patience)
      if (attempt.is === "started") return attempt.host
      await waitOut(options, runtime, own, attempt.wait)
      // On a full disk this file could not be written earlier.
      writeStarts(paths.starts, starts)
    }
  } catch (error) {
    await entrance.close()
    if (!signal.aborted) await countFailedStart(options, paths, error)
    throw error
  }
}

/** How long after its start a Host loads the HTTP application, in milliseconds, unless a request comes earlier. */
const rest = 250

/** The state of the process across all attempts to start. */
interface Process extends Pick<SystemOptions, "tooManyStarts"> {
  readonly entrance: Entrance
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The generations of the current attempt, or of the Host that it became. */
  generations?: Generations | undefined
}

type Attempt = {readonly is: "started"; readonly host: Host} | {readonly is: "waiting"; readonly wait: Wait}

const tryOnce = async (options: HostOptions, runtime: Runtime, own: Process, patience: Patience): Promise<Attempt> => {
  const {signal, logs} = options
  const parts = new Parts(logs.log, signal)
  try {
    return {is: "started", host: await run(options, runtime, parts, own)}
  } catch (error) {
    own.generations = undefined
    const wait = await patience.judge(error)
    if (wait !== undefined) own.entrance.keep(wait)
    await parts.stop(
      signal.aborted
        ? {code: exit.ok, reason: "stopped while starting"}
        : {code: exit.failed, reason: "the start failed"},
    )
    if (wait === undefined) throw error
    return {is: "waiting", wait}
  }
}

/**
 * Waits for the next attempt with the socket open. An attempt may have failed before it opened its socket; a taken port
 * is left to the next attempt. On a full disk the Host also answers report, status and console.
 */
const waitOut = async (options: HostOptions, runtime: Runtime, own: Process, wait: Wait): Promise<void> => {
  const {entrance, startedAt} = own
  const {http, folders, ...configured} = await readPlaces(options)
  const opened = await entrance.open(http).catch(error => options.logs.log.debug(messageOf(error)))
  entrance.keep(wait)
  if (wait.noSpace === undefined || opened === undefined) return wait.over()
  const {answerWithoutSpace} = await import("./open/provisional.ts")
  const project = await projectName(configured.paths)
  const url = urlOf(configured.boot.config, opened.listener.port)
  const its = {host: options, runtime, runtimeId: uuid(), startedAt, project, gate: opened.gate, url}
  await answerWithoutSpace({...configured, ...its}, wait.noSpace, () => wait.over())
}

/** Takes the lock, creates the parts, and starts them in the order of their list. */
const run = async (options: HostOptions, runtime: Runtime, parts: Parts, own: Process): Promise<Host> => {
  const {mode, logs, supervisor} = options
  const {log} = logs
  const opened = await openProject(options, runtime, parts, own.entrance)
  const {runtimeId, startedAt, project, boot, token, url, database, authority, history} = opened
  const lastGood = opened.lastGood && {generation: opened.lastGood.generation, why: opened.lastGood.why}
  const made = await createParts(options, runtime, opened, parts)
  const {running, events, generations, endpoints} = made
  own.generations = generations
  const handlers = new HandlerMeter()
  const sources: Sources = {
    ...made,
    identity: {project, runtimeId, authority, mode, startedAt, history, runtime, supervisor, lastGood},
    database,
    handlers,
    logs,
  }
  const trials = createTrials({host: options, opened, parts: made})
  const system = createSystem({sources, opened, tooManyStarts: own.tooManyStarts, trials})
  const requests = new RequestMeter()
  const status = createStatusPage(sources, system.isReady)
  const api = createApi({opened, sources, system, statusBoard: status.board, parts, requests})
  const dispatch = handlers.measure(dispatchOf(sources, options))
  const list = listParts({options, opened, sources, dispatch, system, api, status, requests, trials, parts})
  recallEnds(database, startedAt, handlers).catch(error =>
    log.debug("the Host could not read how earlier handlers ended", {error}),
  )
  await parts.startAll(list)
  const {earlierStarts: restarts, endedCleanly} = history
  events.raise("host.started", {version, runtime: `${runtime.name} ${runtime.version}`, mode, restarts, endedCleanly})
  options.onUp?.(system.describeReadiness)
  setTimeout(
    () =>
      void runtime
        .prepare()
        .then(() => api.load())
        .catch(error => log.error("the HTTP application failed to load", {error})),
    rest,
  ).unref()

  // A reload failure is logged and shown in the status.
  const reload = async (reason: string) => {
    await system.reloadFor(reason, {confirm: false, force: false}).catch(() => {})
  }
  made.watcher?.onChange(path => void reload(`changed: ${path}`))
  return {
    url,
    runtimeId,
    project,
    watchdog: boot.config.watchdog,
    generations,
    endpoints,
    database,
    inbox: made.inbox,
    outbox: made.outbox,
    token: token.made,
    isIdle: () => parts.isIdle(),
    idle: () => parts.idle(),
    sweep: now => made.capacity.retention.sweep(now),
    commands: () => usages(running.require().snapshot.messages.router),
    exitAsked: opened.exitAsked,
    reload,
    rescueBeforeEnd: () => made.capacity.placeWatch.rescueBeforeEnd(),
    stop: async ending => {
      log.info(`stopping (${ending.reason})`)
      const began = performance.now()
      if (isPlannedEnd(ending)) await endpoints.catchUp()
      await parts.stop(ending, stopLimit - (performance.now() - began))
      log.info("stopped")
    },
    wasBlocked: ({seconds, handlers: running, frame = null}) => {
      handlers.blocks++
      log.error(`the event loop was blocked for more than ${seconds} s, and is free again`, {handlers: running, frame})
      events.raise("host.blocked", {seconds, handlers: [...running], frame})
    },
    contain: made.contain,
  }
}

const dispatchOf = (sources: Sources, {clock}: HostOptions): Dispatch => {
  const {running, database, endpoints, choices, timers, pasts, draftFiles, logs, agents} = sources
  const dispatch = createDispatch({
    current: () => running.require().snapshot.messages,
    database,
    endpoints,
    choices,
    timers: timers.timers,
    awayOf: endpoint => pasts.lastAway(endpoint),
    privateHosts: () => running.settings.files.allowPrivate,
    files: draftFiles,
    idle: () => running.idle(),
    log: logs.log,
    scrub: logs.scrub,
    ...(clock === undefined ? {} : {clock}),
  })
  return {...dispatch, seeing: agents.seeing}
}
