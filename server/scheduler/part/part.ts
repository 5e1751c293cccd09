import type {FiringTarget} from "../../../shared/api/scheduled/jobs.ts"
import {pluginPath} from "../../../shared/ids.ts"
import {by} from "../../../shared/metrics/readings.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import {jobDefaultsOf} from "../../generation/kinds/job.ts"
import type {RunningGeneration} from "../../generation/running-generation.ts"
import type {Inbox} from "../../inbox/inbox.ts"
import type {DraftFiles} from "../../outbox/files/draft-files.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {Part} from "../../runtime/part.ts"
import {misfitOf} from "../../runtime/text/explain.ts"
import {Jobs, type JobsOptions} from "../jobs.ts"
import {readJobTotals} from "../run-rows.ts"
import {messageTarget, pluginTarget} from "../targets.ts"
import {countTimers} from "../timers/rows.ts"
import {Timers, type TimersOptions} from "../timers/timers.ts"
import {withLastRuns} from "./job-runs.ts"

/** The timers of a Host. They fire handlers of the running generation. */
export const createTimers = (
  {database, log, clock}: Pick<TimersOptions, "database" | "log" | "clock">,
  {running, ingress, inbox, endpoints}: Pick<JobNeeds, "running" | "ingress" | "endpoints"> & {readonly inbox: Inbox},
): Part & {readonly timers: Timers} => {
  const timers = new Timers({
    database,
    log,
    clock,
    find: (plugin, name) => {
      const timer = running.current?.snapshot.messages.timers.get(`${pluginPath(plugin)}/timer/${name}`)?.timer
      if (timer === undefined) return undefined
      const {id, definition} = timer
      return {id, missed: definition.missed ?? "once", problemOf: data => misfitOf("data", definition.data, data)}
    },
    declared: () =>
      (running.current?.instances ?? []).flatMap(({name, registrations}) =>
        [...registrations.timers.keys()].map(timer => [name, timer] as const),
      ),
    idle: () => running.idle(),
    isPaused: () => ingress.isPaused,
    fire: (firings, around) => inbox.fire(firings, around),
  })
  ingress.onChange(() => timers.consider())
  running.onCommit(() => {
    timers.generationChanged().catch(error => log.error("the Host could not rearm the timers", {error}))
  })
  return {
    name: "the timers",
    timers,
    start: () => timers.start(),
    drain: () => timers.stop(),
    isIdle: () => timers.isIdle,
    metrics: [{group: "messages", read: async () => ({svc_timers: by("state", await countTimers(database))})}],
    routes: async () => (await import("./timers.ts")).timerRoutes(timers, endpoints, database),
  }
}

export interface JobNeeds {
  readonly running: RunningGeneration
  readonly ingress: Ingress
  readonly outbox: Outbox
  readonly endpoints: Endpoints
  readonly files: DraftFiles
  readonly item: FiringTarget
  readonly agent: FiringTarget
}

export const createJobs = (
  options: Pick<JobsOptions, "database" | "log" | "scrub" | "runtimeId" | "authority" | "content" | "clock"> & {
    readonly paths: {readonly jobs: string}
  },
  {running, ingress, outbox, endpoints, files, item, agent}: JobNeeds,
): Part & {readonly jobs: Jobs} => {
  const {database, paths, clock} = options
  const jobs = new Jobs({
    ...options,
    path: paths.jobs,
    isPaused: () => ingress.isPaused,
    requireOpen: () => ingress.requireOpen("no job is run"),
    declared: () => (running.current?.instances ?? []).flatMap(jobDefaultsOf),
    targets: {
      message: messageTarget(outbox, endpoints, clock),
      plugin: pluginTarget(outbox, {
        current: () => running.current?.snapshot.jobs ?? new Map(),
        idle: () => running.idle(),
        requireTarget: address => endpoints.requireTarget(address),
        clock,
        files,
      }),
      item,
      agent,
    },
  })
  const views = () => jobs.list().map(job => jobs.view(job))
  ingress.onChange(() => jobs.scheduler.ingressChanged())
  running.onCommit(() => void jobs.generationChanged())
  return {
    name: "the jobs",
    jobs,
    start: () => jobs.start(),
    drain: () => jobs.drain(),
    isIdle: () => jobs.scheduler.isIdle,
    metrics: [{group: "jobs", read: async () => ({svc_job_runs_total: by("outcome", await readJobTotals(database))})}],
    facts: {jobs: async () => ({items: await withLastRuns(database, views()), file: jobs.file})},
    idle: () => jobs.scheduler.idle(),
    routes: async () => (await import("./jobs.ts")).jobRoutes(jobs, database),
  }
}
