import {exit} from "../../shared/exit.ts"
import {HandlerMeter} from "../inbox/handler-meter.ts"
import {createDispatch} from "../messages/dispatch.ts"
import {usages} from "../messages/help.ts"
import type {Runtime} from "../runtime/runtime.ts"
import {serveApi} from "./api.ts"
import {assemble} from "./assemble.ts"
import type {Host, HostOptions} from "./host.ts"
import {openProject} from "./open.ts"
import {Parts} from "./parts.ts"
import {tableOf} from "./table.ts"

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

/** Holds the project, makes the parts, and starts them as their table says. */
const run = async (options: HostOptions, runtime: Runtime, parts: Parts): Promise<Host> => {
  const {mode, logs, supervisor} = options
  const {log, scrub} = logs
  const opened = await openProject(options, runtime, parts)
  const {runtimeId, startedAt, project, boot, token, url, database, authority, history, askExit} = opened
  const made = await assemble(options, runtime, opened, parts)
  const {current, events, outbox, inbox, endpoints, recovery, watcher, generations, containment} = made

  const dispatch = createDispatch({
    current: () => current().snapshot.messages,
    settled: () => generations.settled(),
    log,
    scrub,
    ...(options.now === undefined ? {} : {now: options.now}),
  })
  const handlers = new HandlerMeter()
  const api = serveApi({
    base: boot.config.http.base,
    tokens: {token: token.used, demoToken: boot.config.http.demoToken},
    services: {
      ...made,
      identity: {project, runtimeId, authority, mode, startedAt, history, runtime, supervisor},
      database,
      logs,
      handlers,
      checkpoints: recovery.checkpoints,
      releases: recovery.releases,
    },
    askExit,
  })
  const table = tableOf({
    options,
    opened,
    made,
    dispatch: handlers.measure(dispatch),
    api,
    requireRunning: () => parts.requireRunning(),
  })
  await parts.startAll(table)
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
