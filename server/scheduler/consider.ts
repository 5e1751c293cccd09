import type {Job, RunTrigger} from "../../shared/api/jobs.ts"
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

/** With `missed: all`, so many of the newest missed due times run; what came before is skipped, and said so. */
export const mostCatchUps = 100

/** With `overlap: queue`, so many runs of a job wait behind the one that runs. */
export const mostQueued = 10

/** What a job's first due time that nobody has dealt with is judged by. */
export interface Circumstances {
  readonly times: Times
  readonly due: number
  /** What was to fire at this time or before was missed. */
  readonly missedUpTo: number
  /** Runs of this job that are queued or running. */
  readonly openRuns: number
}

/**
 * What is to be done about a due time that has come, and about those that were missed with it. Pure. On time means that
 * it is to fire, jitter included, after `missedUpTo`.
 */
export const consider = (job: Job, {times, due, missedUpTo, openRuns}: Circumstances): Considered => {
  const firesAt = (at: number) => at + jitterOf(job, at)
  if (firesAt(due) > missedUpTo) return {planned: [onTime(job, due, openRuns)], upTo: due}
  let latest = times.upTo(missedUpTo) ?? due
  while (latest > due && firesAt(latest) > missedUpTo) latest = times.upTo(latest - 1) ?? due
  return {planned: caughtUp(job, times, due, Math.max(latest, due)), upTo: Math.max(latest, due)}
}

const onTime = ({overlap}: Job, due: number, openRuns: number): Planned => {
  const run = {scheduledFor: due, trigger: "schedule"} as const
  if (openRuns === 0) return run
  if (overlap !== "queue") return {...run, skipped: "overlap"}
  return openRuns > mostQueued ? {...run, skipped: "queue_full"} : run
}

/** Catching up is not held to `overlap`: what it makes runs one after the other. */
const caughtUp = ({missed}: Job, times: Times, first: number, latest: number): readonly Planned[] => {
  const since = (at: number) => (first < at ? {missedFrom: first} : {})
  if (missed === "once") return [{scheduledFor: latest, trigger: "catch_up", ...since(latest)}]
  if (missed !== "all") return [{scheduledFor: latest, trigger: "schedule", skipped: "missed", ...since(latest)}]
  const newest: number[] = []
  let at: number | undefined = latest
  while (at !== undefined && at >= first && newest.length < mostCatchUps) {
    newest.unshift(at)
    at = times.upTo(at - 1)
  }
  const runs = newest.map((scheduledFor): Planned => ({scheduledFor, trigger: "catch_up"}))
  if (at === undefined || at < first) return runs
  return [{scheduledFor: at, trigger: "schedule", skipped: "too_many", ...since(at)}, ...runs]
}
