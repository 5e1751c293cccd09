import type {Job, JobView, NextTimes} from "../../shared/api/scheduled/jobs.ts"
import type {Static} from "../../shared/type.ts"
import {JobTable} from "./job-table.ts"
import {localClock} from "./local-clock.ts"

export const iso = (at: number): string => new Date(at).toISOString()

/** A job as the API shows it, with what holds where the file says nothing; its last run is for who reads the runs. */
export const viewJob = (
  job: Job,
  now: {readonly nextAt: number | undefined; readonly openRuns: number; readonly problem: string | undefined},
): Static<typeof JobView> => ({
  ...job,
  enabled: job.enabled ?? true,
  missed: job.missed ?? "skip",
  overlap: job.overlap ?? "skip",
  nextAt: now.nextAt === undefined ? null : iso(now.nextAt),
  openRuns: now.openRuns,
  problem: now.problem ?? null,
  lastRun: null,
})

/** The coming times of a job, from `from` on, in milliseconds since 1970. */
export const viewNext = (job: Job, count: number, from: number): NextTimes => {
  const {show} = localClock(job.timezone)
  return {
    timezone: job.timezone,
    items: new JobTable()
      .coming(job, count, from)
      .map(({due, at}) => ({scheduledFor: iso(due), firesAt: iso(at), local: show(due)})),
  }
}
