import type {Job, RunTrigger} from "../../shared/api/scheduled/jobs.ts"
import {jitterOf, type Times} from "./calculator.ts"

/** What becomes of a due time. */
export interface Planned {
  readonly scheduledFor: number
  readonly trigger: RunTrigger
  /** The first of the missed due times that it stands for, where they are several. */
  readonly missedFrom?: number
  /** Why it is not run; undefined for one that is. */
  readonly skipped?: "missed" | "too_many" | "overlap" | "queue_full"
}

export interface Considered {
  readonly planned: readonly Planned[]
  /** Due times up to this one are dealt with. */
  readonly upTo: number
}

/** With `missed: all`, so many of the newest due times that came together run; each one before is skipped. */
export const mostCatchUps = 100

/** So many of the skipped ones have a row each; one row stands for those before, which may be a year of seconds. */
export const mostSkippedRows = 500

/** With `overlap: queue`, so many runs of a job wait behind the one that runs. */
export const mostQueued = 10

/** What a job's first due time that nobody has dealt with is judged by. */
export interface Circumstances {
  readonly times: Times
  readonly due: number
  /** What was to fire at this time or before was missed. */
  readonly missedUpTo: number
  /** Due times that were to fire by now have come. */
  readonly now: number
  /** Runs of this job that are queued or running. */
  readonly openRuns: number
}

/**
 * What is to be done about a due time that has come, and about those that were missed with it. Pure. On time means that
 * it is to fire, jitter included, after `missedUpTo`.
 */
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

/** One run, or one row, for all that were missed. */
const oneFor = ({missed}: Job, first: number, latest: number): Planned => {
  const row = {scheduledFor: latest, ...since(first, latest)}
  return missed === "once" ? {...row, trigger: "catch_up"} : {...row, trigger: "schedule", skipped: "missed"}
}

/**
 * Every due time that has come, the oldest first. Those that came together, because the Host was late, are not held to
 * `overlap`: they run one after the other.
 */
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
