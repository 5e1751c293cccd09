import type {Job} from "../../shared/api/scheduled/jobs.ts"
import type {RunTrigger} from "../../shared/sdk/plugin/job.ts"
import {jitterOf, type Times} from "./times/calculator.ts"

/** What the scheduler does about a due time. */
export interface Planned {
  readonly scheduledFor: number
  readonly trigger: RunTrigger
  /** The first of the missed due times that it replaces, if there are several. */
  readonly missedFrom?: number
  /** Why it does not run; undefined if it runs. */
  readonly skipped?: "missed" | "too_many" | "overlap" | "queue_full"
}

export interface Considered {
  readonly planned: readonly Planned[]
  /** Due times up to this one are handled. */
  readonly upTo: number
}

/** With `missed: all`, how many of the latest due times that came together run. Each earlier one is skipped. */
export const mostCatchUps = 100

/** How many skipped due times get their own row. One row stands for those before, which may be a year of seconds. */
export const mostSkippedRows = 500

/** With `overlap: queue`, how many runs of a job may wait for the running one. */
export const mostQueued = 10

/** The facts that decide about a job's first unhandled due time. */
export interface Circumstances {
  readonly times: Times
  readonly due: number
  /** Due times that were to fire at this time or before were missed. */
  readonly missedUpTo: number
  /** Due times that were to fire by now have come. */
  readonly now: number
  /** Runs of this job that are queued or running. */
  readonly openRuns: number
}

/** Pure. A due time is on time if it is to fire, jitter included, after `missedUpTo`. */
export const consider = (job: Job, {times, due, missedUpTo, now, openRuns}: Circumstances): Considered => {
  const firesAt = (at: number) => at + jitterOf(job, at)
  const latestBy = (end: number): number => {
    let latest = times.upTo(end) ?? due
    while (latest > due && firesAt(latest) > end) latest = times.upTo(latest - 1) ?? due
    return Math.max(latest, due)
  }
  if (job.missed === "all") {
    const latest = latestBy(now)
    if (latest > due || firesAt(due) <= missedUpTo) {
      const isMissed = (at: number) => firesAt(at) <= missedUpTo
      return {planned: allOf(times, due, latest, isMissed), upTo: latest}
    }
  }
  if (firesAt(due) > missedUpTo) return {planned: [onTime(job, due, openRuns)], upTo: due}
  const latest = latestBy(missedUpTo)
  return {planned: [oneFor(job, due, latest)], upTo: latest}
}

const onTime = ({overlap}: Job, due: number, openRuns: number): Planned => {
  const run = {scheduledFor: due, trigger: "schedule"} as const
  if (openRuns === 0) return run
  if (overlap !== "queue") return {...run, skipped: "overlap"}
  return openRuns > mostQueued ? {...run, skipped: "queue_full"} : run
}

/** Returns one run, or one row, for all missed due times. */
const oneFor = ({missed}: Job, first: number, latest: number): Planned => {
  const row = {scheduledFor: latest, ...since(first, latest)}
  return missed === "once" ? {...row, trigger: "catch_up"} : {...row, trigger: "schedule", skipped: "missed"}
}

/** Returns every due time that has come, oldest first. Those that came late together run one after the other. */
const allOf = (times: Times, first: number, latest: number, isMissed: (at: number) => boolean): readonly Planned[] => {
  const planned: Planned[] = []
  let at: number | undefined = latest
  while (at !== undefined && at >= first && planned.length < mostCatchUps + mostSkippedRows) {
    const trigger = isMissed(at) ? "catch_up" : "schedule"
    const isRun = planned.length < mostCatchUps
    planned.push(isRun ? {scheduledFor: at, trigger} : {scheduledFor: at, trigger: "schedule", skipped: "too_many"})
    at = times.upTo(at - 1)
  }
  if (at !== undefined && at >= first)
    planned.push({scheduledFor: at, trigger: "schedule", skipped: "too_many", ...since(first, at)})
  return planned.reverse()
}

const since = (first: number, at: number) => (first < at ? {missedFrom: first} : {})
