import type {ReloadResult, Status} from "../../shared/api/api.ts"
import {exit} from "../../shared/exit.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import type {Static} from "../../shared/type.ts"
import type {Capacity} from "../capacity/capacity.ts"
import type {DiskLimit} from "../capacity/disk-watch.ts"
import type {LoadedConfig} from "../config/load.ts"
import type {Database} from "../database/database.ts"
import type {RunHistory} from "../database/runs.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {Ingress} from "../endpoints/ingress.ts"
import {describeFailure} from "../generation/draft.ts"
import type {Generation} from "../generation/generation.ts"
import type {Generations} from "../generation/generations.ts"
import {createApp} from "../http/app.ts"
import type {Tokens} from "../http/auth.ts"
import {RequestMeter} from "../http/request-meter.ts"
import {createRoutes} from "../http/routes.ts"
import type {HandlerMeter} from "../inbox/handler-meter.ts"
import type {Inbox} from "../inbox/inbox.ts"
import type {Logs} from "../logs/log.ts"
import type {Outbox} from "../outbox/outbox.ts"
import type {Mode} from "../project/settings.ts"
import type {Facts} from "../readiness/facts.ts"
import {gatherFacts} from "../readiness/gather.ts"
import {createReport, isEveryRequiredReady} from "../readiness/report.ts"
import type {Checkpoints} from "../recovery/checkpoint/checkpoints.ts"
import type {Releases} from "../recovery/release/releases.ts"
import type {Fetch, Runtime} from "../runtime/runtime.ts"
import {version} from "../runtime/version.ts"
import type {Guard, SatoriServer} from "../satori/server.ts"
import type {Jobs} from "../scheduler/jobs.ts"
import type {Workroom} from "../workroom/workroom.ts"
import type {HostEvents} from "./events.ts"
import type {Exit} from "./host.ts"
import {createMetrics} from "./metrics/metrics.ts"

/** What does not change while this process runs. */
export interface HostFacts {
  readonly project: string
  readonly runtimeId: string
  readonly authority: string
  readonly mode: Mode
  readonly startedAt: number
  readonly history: RunHistory
  readonly runtime: Runtime
  readonly supervisor: () => string
}

export interface HostServices {
  readonly generations: Generations
  readonly endpoints: Endpoints
  readonly database: Database
  readonly events: HostEvents
  readonly inbox: Inbox
  readonly outbox: Outbox
  readonly ingress: Ingress
  readonly jobs: Jobs
  readonly logs: Logs
  readonly satori: SatoriServer
  readonly checkpoints: Checkpoints
  readonly releases: Releases
  readonly handlers: HandlerMeter
  readonly disk: DiskLimit
  readonly capacity: Capacity
  readonly workroom: Workroom
}

export interface ApiOptions {
  readonly boot: LoadedConfig
  readonly tokens: Tokens
  readonly facts: HostFacts
  readonly services: HostServices
  readonly askExit: (exit: Exit) => void
}

export interface Api {
  readonly fetch: Fetch
  /** Resolves when no request is being answered, streams aside. */
  settled(): Promise<void>
  /** Who may come in by a WebSocket. */
  readonly guard: Guard
  /** Is every required component ready, and the Host not stopping? */
  isReady(): boolean
  /**
   * Takes the configuration as it is now. In production, what the process cannot take over begins a restart with exit
   * code 75. Throws what a draft throws, and `no_supervisor` unless confirmed.
   */
  reload(reason: string, confirm: boolean): Promise<Static<typeof ReloadResult>>
  /** Not ready from now on. */
  stopping(): void
}

/** The Host as its HTTP API shows it, and the requests that the API makes of it. */
export const serveApi = ({boot, tokens, facts, services, askExit}: ApiOptions): Api => {
  const {generations, endpoints, database, inbox, outbox, ingress, jobs, logs} = services
  const startedAt = new Date(facts.startedAt).toISOString()
  const began = performance.now() - (Date.now() - facts.startedAt)
  const committedAt = memoizeTime()
  let isStopping = false
  const current = (): Generation => {
    if (generations.current === undefined) throw new Problem("starting", "no generation is committed yet")
    return generations.current
  }
  const observe = (): Facts =>
    gatherFacts({
      now: Date.now(),
      startedAt: facts.startedAt,
      authority: facts.authority,
      generation: generations.current,
      failure: generations.lastFailure,
      databaseInitialized: database.state.is === "initialized",
      databaseFailure: database.state.is === "initialized" ? database.state.failure : undefined,
      endpoints: () => endpoints.list(),
      ingress: () => ingress.view,
      checkpoint: () => services.checkpoints.newest(Date.now()),
      checkpointFailure: () => services.checkpoints.failure,
    })
  const isReady = () => !isStopping && isEveryRequiredReady(observe())
  const askRestart = (confirm: boolean, end: Exit) => {
    if (facts.supervisor() === "none" && !confirm) {
      throw new Problem("no_supervisor", "nothing is known that would start the Host again")
    }
    services.events.raise("restart.asked", {code: end.code, reason: end.reason})
    // The answer leaves before the Host does.
    setTimeout(() => askExit(end), 50)
  }
  const reload: Api["reload"] = async (reason, confirm) => {
    try {
      const generation = await generations.reload(reason)
      return {committed: generation !== undefined, generation: current().number}
    } catch (error) {
      if (!isProblem(error, "restart_required") || facts.mode !== "production") throw error
      askRestart(confirm, {code: exit.runtimeRestart, reason: error.message})
      return {committed: false, generation: current().number, restarting: true}
    }
  }
  const requests = new RequestMeter()
  const metrics = createMetrics({
    ...services,
    identity: facts,
    requests,
    report: () => createReport(observe()),
    isReady,
  })
  const app = createApp({
    tokens,
    log: logs.log,
    requests,
    scrub: logs.scrubJson,
    settings: () => current().config.config.http,
    routes: answer =>
      createRoutes(
        {
          system: {
            isReady,
            readiness: () => createReport(observe()),
            status: () => createStatus(facts, {startedAt, began, committedAt}, services, isReady()),
            reload: confirm => reload("requested", confirm),
            restart: confirm => askRestart(confirm, {code: exit.consoleRestart, reason: "restart requested"}),
          },
          events: services.events,
          plugins: {current, answer},
          metrics,
          current,
          generations,
          endpoints,
          database,
          inbox,
          outbox,
          ingress,
          checkpoints: services.checkpoints,
          releases: services.releases,
          capacity: services.capacity,
          jobs,
          logs,
          runtimeId: facts.runtimeId,
          workroom: services.workroom,
          satori: {logins: services.satori.logins, database, outbox, endpoints},
          project: facts.project,
          version,
        },
        boot.config.http.base,
      ),
  })
  return {
    fetch: app.fetch,
    settled: app.settled,
    guard: app.guard,
    isReady,
    reload,
    stopping: () => {
      isStopping = true
    },
  }
}

/** Writes a time as text once for as long as it is the same. */
const memoizeTime = () => {
  let last = {at: Number.NaN, text: ""}
  return (at: number): string => {
    if (last.at !== at) last = {at, text: new Date(at).toISOString()}
    return last.text
  }
}

const createStatus = (
  facts: HostFacts,
  {
    startedAt,
    began,
    committedAt,
  }: {
    readonly startedAt: string
    /** By a clock that does not go back. */
    readonly began: number
    readonly committedAt: (at: number) => string
  },
  {generations, database, events, ingress, jobs, workroom, checkpoints}: HostServices,
  ready: boolean,
): Static<typeof Status> => {
  const {current, pin, lastFailure} = generations
  return {
    project: facts.project,
    version,
    runtime: {name: facts.runtime.name, version: facts.runtime.version},
    runtimeId: facts.runtimeId,
    authority: facts.authority,
    mode: facts.mode,
    startedAt,
    uptime: Math.round((performance.now() - began) / 100) / 10,
    restarts: facts.history.earlierStarts,
    endedCleanly: facts.history.endedCleanly,
    generation: {
      number: current?.number ?? 0,
      committedAt: committedAt(current?.committedAt ?? 0),
      reason: current?.reason ?? "",
    },
    pin: pin === undefined ? null : {number: pin.number},
    lastFailure:
      lastFailure === undefined
        ? null
        : {
            at: new Date(lastFailure.at).toISOString(),
            reason: lastFailure.reason,
            code: lastFailure.problem.code,
            detail: lastFailure.problem.message,
            issues: describeFailure(lastFailure.problem).split("\n"),
          },
    ready,
    supervisor: facts.supervisor(),
    ingress: ingress.view,
    checkpoint: checkpoints.newest(Date.now()),
    checkpointFailure: checkpoints.failure,
    database: {
      dialect: database.location.dialect,
      state: database.state.is,
      schema: database.state.is === "initialized" ? database.state.schema : null,
    },
    workroom: {store: workroom.store, authority: workroom.authority, seq: workroom.head.seq},
    epoch: events.epoch,
    authorities: [
      {part: "database", authority: facts.authority},
      {part: "event log", authority: events.events.authority ?? null},
      {part: "workroom Journal", authority: workroom.authority},
      {part: "job file", authority: jobs.file.authority},
    ],
  }
}
