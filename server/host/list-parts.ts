import {erasingRunsOf} from "../agents/runs/user-part.ts"
import type {RequestMeter} from "../http/request-meter.ts"
import type {Dispatch} from "../inbox/intake/handling.ts"
import {selectLasting} from "../inbox/intake/presses.ts"
import {inboxPart} from "../inbox/part/part.ts"
import type {Alerts} from "../metrics/alerts/alerts.ts"
import {MetricsPage} from "../metrics/page.ts"
import {outboxPart} from "../outbox/part/part.ts"
import {noteTokens} from "../project/token-ages.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import {readHostFile, writeHostFile} from "../runtime/host-file.ts"
import type {Part} from "../runtime/part.ts"
import type {Api} from "./api.ts"
import {hostFacts} from "./metrics/alert-facts.ts"
import {createAlerts} from "./metrics/alerts.ts"
import {hostMetrics} from "./metrics/host.ts"
import {createMetricHistory} from "./metrics/metric-history.ts"
import type {HostOptions} from "./open/host.ts"
import {LastGoodKeeper} from "./open/last-good.ts"
import type {OpenProject} from "./open/open.ts"
import type {Parts} from "./open/parts.ts"
import type {Sources} from "./parts/sources.ts"
import type {StatusPage} from "./status-page.ts"
import type {System} from "./system.ts"
import type {Trials} from "./trial/trials.ts"

export interface ListOptions {
  readonly options: HostOptions
  readonly opened: OpenProject
  readonly sources: Sources
  readonly dispatch: Dispatch
  readonly system: System
  readonly api: Api
  readonly status: StatusPage
  readonly requests: RequestMeter
  readonly trials: Trials
  readonly parts: Parts
}

/** The parts of a Host in the order of their start. The last ones to stop come first. */
export const listParts = (list: ListOptions): readonly Part[] => {
  const {sources, opened} = list
  const {listener} = opened
  const {events, files, ingress, connected, satori, jobs, timers, agents, recovery, capacity} = sources
  const {starts, contain} = sources
  const inbox = inboxPart(sources.inbox, list.dispatch, {...sources, logFolder: opened.paths.logs, erasingRunsOf})
  const outbox = outboxPart(sources.outbox, {
    ...sources,
    files: files.store,
    scrub: list.options.logs.scrub,
    lasting: selectLasting,
  })
  const alerts = createAlerts(sources, list.parts, opened.paths.project, list.system.isReady)
  return [
    {name: "the trial of a change", stopTaking: () => list.trials.stop(), limit: 3000},
    // It also closes when the first generation fails to start.
    {name: "the plugins", close: () => sources.generations.stop(500), limit: 2000, late: "a plugin did not end"},
    capacity.watches.place,
    files,
    {
      name: "the plugins",
      start: async () => {
        await sources.generations.start()
        list.parts.requireRunning()
      },
    },
    // The ages of the inbox's backlog need ingress and pasts.
    {name: "ingress", start: () => ingress.start()},
    connected.parts.pasts,
    // If the clock was set back, it moves the outbox's waiting times too.
    inbox,
    connected,
    {
      name: "connections",
      close: async () => {
        await withTimeLimit(250, () => listener.close(false)).catch(() => {})
        await listener.close(true)
      },
    },
    events.streams,
    satori,
    outbox,
    inbox.handlers,
    {
      name: "the languages of users",
      forgotten: (part, rows) => {
        if (part !== "state") return
        for (const {endpoint, subject} of rows) sources.choices.changed(String(endpoint), String(subject))
      },
    },
    connected.parts.gaps,
    capacity.watches.disk,
    connected.parts.opening,
    {
      name: "what plugins do at the start",
      start: () => starts.open(error => void contain(error)),
      isIdle: () => starts.isIdle,
    },
    {name: "requests", drain: () => list.api.idle()},
    jobs,
    timers,
    agents,
    recovery,
    capacity,
    capacity.watches.damage,
    events.retention,
    ...watchers(list, alerts),
    service(list, alerts),
    ...lastGood(list),
    ...records(list),
    connected.parts.libraries,
  ]
}

const watchers = ({sources, status: {board, uptimes}}: ListOptions, alerts: Alerts): readonly Part[] => {
  const history = createMetricHistory(sources, () => board.watch(), uptimes)
  return [
    {
      name: "the metric history",
      start: () => history.start(),
      close: () => history.stop(),
      limit: 250,
      late: "the last minute of the metric history was not stored",
    },
    {name: "alerts", start: () => alerts.start(), stopTaking: () => alerts.stop(), limit: 500},
  ]
}

const service = ({sources, system, api, requests, opened, parts}: ListOptions, alerts: Alerts): Part => {
  const {gate, paths, runtimeId} = opened
  const {isReady, readiness: report} = system
  const metrics = new MetricsPage(() => parts.metrics)
  return {
    name: "the service",
    metrics: hostMetrics({...sources, requests, report, isReady}),
    facts: {...hostFacts(sources), status: system.statusNow, report},
    start: async () => {
      // A Host that ran provisionally has already written its file, and stays ready.
      if ((await readHostFile(paths))?.runtimeId === runtimeId) system.started()
      gate.open(api, isReady, api.sockets)
    },
    stopTaking: ({code, reason}) => {
      system.stopping()
      sources.events.raise("host.stopping", {code, reason})
    },
    routes: async () => {
      const {controlRoutes} = await import("./control-routes.ts")
      return controlRoutes({sources, system, metrics, alerts, logFolder: paths.logs})
    },
  }
}

/** In production, keeps a generation that stays ready, unless the last good generation runs. */
const lastGood = ({options: {mode, logs}, opened, sources, system}: ListOptions): readonly Part[] => {
  if (mode !== "production" || opened.lastGood !== undefined) return []
  const {paths, database} = opened
  const keeper = new LastGoodKeeper({paths, database, running: sources.running, isReady: system.isReady, log: logs.log})
  return [{name: "the last good generation", start: () => keeper.start(), close: () => keeper.stop(), limit: 250}]
}

/** What the Host records for its next start, and for those who look for it. */
const records = ({options: {logs}, opened, system}: ListOptions): readonly Part[] => {
  const {paths, boot, token, url, runtimeId} = opened
  return [
    {
      name: "the ages of the tokens",
      // The Host also starts without this record, for example on a full disk.
      start: () =>
        noteTokens(paths, boot.config.http, Date.now()).catch(error =>
          logs.log.warn("could not record the age of the tokens", {error}),
        ),
    },
    // A client that finds the file finds a ready Host, and a client that waited for a ready Host finds the file.
    {
      name: "the Host's file",
      start: () => {
        const own = token.made === undefined ? {} : {token: token.made.reveal()}
        return writeHostFile(paths, {url, pid: process.pid, runtimeId, ...own}, () => system.started())
      },
    },
  ]
}
