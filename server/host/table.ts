import {policyOf} from "../endpoints/spec.ts"
import type {Dispatch} from "../inbox/handling.ts"
import type {Recorder} from "../metrics/history/recorder.ts"
import {noteTokens} from "../project/token-ages.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import {readHostFile, writeHostFile} from "../runtime/host-file.ts"
import {holdPackages} from "../runtime/packages/find.ts"
import type {Api} from "./api.ts"
import type {Assembled} from "./assembly/assemble.ts"
import {type HostOptions, isPlannedEnd} from "./host.ts"
import {LastGoodKeeper} from "./last-good.ts"
import type {OpenProject} from "./open.ts"
import type {Row} from "./parts.ts"
import type {Trials} from "./trial.ts"

/** The time that handlers, sends and requests get to finish on shutdown, in milliseconds. */
const drainLimit = 5000

export interface TableOptions {
  readonly options: HostOptions
  readonly opened: OpenProject
  readonly made: Assembled
  readonly dispatch: Dispatch
  readonly api: Api
  readonly metricHistory: Recorder
  readonly trials: Trials
  /** Throws once the start was aborted. */
  readonly requireRunning: () => void
}

/** The rows of a Host whose parts exist: they start from top to bottom, and stop from bottom to top. */
export const tableOf = (table: TableOptions): readonly Row[] => {
  const libraries = heldLibraries()
  return [
    ...lastToStop(table),
    ...messageRows(table, libraries),
    ...serviceRows(table),
    {name: "the libraries of adapters", start: () => libraries.release()},
  ]
}

interface HeldLibraries {
  hold(): void
  release(): void
}

/** Delays the adapters' libraries until the Host serves: the first requests must not wait for them to load. */
const heldLibraries = (): HeldLibraries => {
  let release = () => {}
  return {
    hold: () => {
      release = holdPackages()
    },
    release: () => release(),
  }
}

/** These parts stop at once and are awaited last: the drain needs the seconds that a checkpoint takes to give up. */
const lastToStop = ({made, trials}: TableOptions): readonly Row[] => {
  const {capacity, recovery, endpoints, gaps, pasts, generations} = made
  return [
    {name: "the trial of a change", early: true, stop: () => trials.stop(), limit: 3000},
    {
      name: "the deletion of old rows",
      early: true,
      stop: () => capacity.stop(),
      limit: 1000,
      late: "the deletion of old rows did not end in time",
    },
    {
      name: "checkpoints and releases",
      early: true,
      stop: () => recovery.stop(),
      limit: 1000,
      late: "a checkpoint in progress did not end in time",
    },
    {name: "admission", early: true, stop: () => endpoints.stopAdmission()},
    {
      name: "the pasts of endpoints",
      early: true,
      stop: () => pasts.stop(),
      limit: 250,
      late: "the Host could not store when the endpoints were last online",
    },
    {
      name: "gaps",
      early: true,
      // Before admission: the gap's reason is that the Host stops.
      stop: exit => gaps.stop(isPlannedEnd(exit) ? "host_stopped" : "host_failed"),
      limit: 250,
      late: "the Host could not store when the endpoints went offline",
    },
    {
      name: "the plugins",
      stop: () => generations.stop(500),
      limit: 2000,
      late: "a plugin was not disposed in time",
    },
  ]
}

/** The rows of the first generation, and of the parts that its messages pass through. */
const messageRows = (
  {options, made, dispatch, requireRunning}: TableOptions,
  libraries: HeldLibraries,
): readonly Row[] => {
  const {scrub} = options.logs
  const {generations, starts, files, inbox, outbox, endpoints, ingress, gaps, pasts, diskWatch, placeWatch} = made
  return [
    {name: "the watch on the database and the lock", start: () => placeWatch.start(), stop: () => placeWatch.stop()},
    {name: "the files", start: () => files.start(), stop: () => files.stop(), limit: 250},
    {
      name: "the plugins",
      start: async () => {
        await generations.start()
        requireRunning()
      },
    },
    // The ages of the inbox's backlog need both.
    {name: "ingress", start: () => ingress.start()},
    {name: "the pasts of endpoints", start: () => pasts.start()},
    // These stops of inbox and outbox serve a failed start; on shutdown both have already stopped.
    {name: "the inbox", start: () => inbox.start(dispatch), stop: () => inbox.drain(), limit: 250},
    {
      name: "the outbox",
      start: () =>
        outbox.start({
          sender: name => endpoints.get(name)?.sender,
          policy: name => policyOf(endpoints.get(name)?.spec),
          scrub,
        }),
      stop: () => outbox.drain(),
      limit: 250,
    },
    {name: "gaps", start: () => gaps.start(endpoints.list())},
    {
      name: "the watch on the disk",
      early: true,
      start: () => diskWatch.start(),
      stop: () => diskWatch.stop(),
    },
    {
      name: "the endpoints",
      start: () => {
        libraries.hold()
        endpoints.start()
      },
      stop: () => {
        libraries.release()
        return endpoints.close()
      },
      limit: 1500,
      late: "an endpoint did not close in time",
    },
    {name: "what plugins do at the start", start: () => starts.open()},
  ]
}

/** In production, keeps a generation that stays ready, unless the last good generation runs. */
const lastGoodRow = (
  {paths, database, lastGood}: OpenProject,
  {generations}: Assembled,
  {isReady}: Api,
  {mode, logs}: HostOptions,
): readonly Row[] => {
  if (mode !== "production" || lastGood !== undefined) return []
  const keeper = new LastGoodKeeper({paths, database, generations, isReady, log: logs.log})
  return [{name: "the last good generation", start: () => keeper.start(), stop: () => keeper.stop(), limit: 250}]
}

/** The rows of the HTTP API, and of the parts that run beside it. */
const serviceRows = ({options, opened, made, api, metricHistory}: TableOptions): readonly Row[] => {
  const {gate, listener, url, paths, runtimeId, token, boot} = opened
  const {log} = options.logs
  const {events, satori, inbox, outbox, jobs, timers, agents, recovery, capacity, damageWatch} = made
  return [
    {
      name: "connections",
      stop: async () => {
        await withTimeLimit(250, () => listener.close(false)).catch(() => {})
        await listener.close(true)
      },
    },
    {name: "event streams", stop: () => events.endStreams()},
    {name: "Satori", start: () => satori.start(api.guard), stop: () => satori.close()},
    {name: "sends", stop: () => outbox.drain(), limit: 1000},
    {
      name: "handlers, jobs, sends and requests",
      stop: async () => {
        await Promise.all([timers.stop(), inbox.drain(), jobs.drain(), agents.stop()])
        await outbox.settled()
        await api.settled()
      },
      limit: drainLimit,
      late: "handlers, sends or requests were still running; the next start continues with what is stored",
    },
    {name: "the jobs", start: () => jobs.start()},
    {name: "the timers", start: () => timers.start(), stop: () => timers.stop(), limit: 250},
    {name: "the agents", start: () => agents.start(), stop: () => agents.stop(), limit: 250},
    {name: "checkpoints and releases", start: () => recovery.start()},
    {name: "the deletion of old rows", start: () => capacity.start()},
    {name: "the check of the database", early: true, start: () => damageWatch.start(), stop: () => damageWatch.stop()},
    {
      name: "the metric history",
      start: () => metricHistory.start(),
      stop: () => metricHistory.stop(),
      limit: 250,
      late: "the last minute of the metric history was not stored",
    },
    {name: "alerts", early: true, start: () => api.alerts.start(), stop: () => api.alerts.stop(), limit: 500},
    {
      name: "the service",
      early: true,
      start: async () => {
        // A Host that ran provisionally has already written its file, and stays ready.
        if ((await readHostFile(paths))?.runtimeId === runtimeId) api.started()
        gate.open(api, api.isReady, api.sockets)
      },
      stop: ({code, reason}) => {
        api.stopping()
        events.raise("host.stopping", {code, reason})
      },
    },
    ...lastGoodRow(opened, made, api, options),
    {
      name: "the ages of the tokens",
      // The Host also starts without this record, for example on a full disk.
      start: () =>
        noteTokens(paths, boot.config.http, Date.now()).catch(error =>
          log.warn("the age of the tokens was not recorded", {error}),
        ),
    },
    // A client that finds the file finds a ready Host, and a client that waited for a ready Host finds the file.
    {
      name: "the Host's file",
      start: () => {
        const own = token.made === undefined ? {} : {token: token.made.reveal()}
        return writeHostFile(paths, {url, pid: process.pid, runtimeId, ...own}, () => api.started())
      },
    },
  ]
}
