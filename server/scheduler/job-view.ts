import type {Job, JobView, NextTimes} from "../../shared/api/scheduled/jobs.ts"
import type {JobDefault} from "../generation/kinds/job.ts"
import {revisionOf} from "./revision.ts"
import {Calculator, type TimedJob} from "./times/calculator.ts"
import {localClock} from "./times/local-clock.ts"

export const iso = (at: number): string => new Date(at).toISOString()

const viewDefault = ({plugin, schedule}: JobDefault): JobView["declared"] => {
  const {timezone} = schedule
  if ("cron" in schedule) return {plugin, schedule: {cron: schedule.cron}, timezone}
  const {every, from} = schedule
  return {plugin, schedule: from === undefined ? {every} : {every, from}, timezone}
}

/** Returns a job as the API shows it, with the defaults of missing settings. Who reads the runs adds its last run. */
export const viewJob = (
  job: Job,
  now: {
    readonly nextAt: number | undefined
    readonly openRuns: number
    readonly problem: string | undefined
    readonly declared?: JobDefault | undefined
  },
): JobView => ({
  ...job,
  enabled: job.enabled ?? true,
  missed: job.missed ?? "skip",
  overlap: job.overlap ?? "skip",
  nextAt: now.nextAt === undefined ? null : iso(now.nextAt),
  openRuns: now.openRuns,
  problem: now.problem ?? null,
  revision: revisionOf(job),
  declared: now.declared === undefined ? null : viewDefault(now.declared),
  lastRun: null,
})

/** Returns the upcoming times of a job from `from` on, in milliseconds since 1970. */
export const viewNext = (job: TimedJob, count: number, from: number): NextTimes => {
  const {show} = localClock(job.timezone)
  return {
    timezone: job.timezone,
    items: new Calculator()
      .coming(job, count, from)
      .map(({due, at}) => ({scheduledFor: iso(due), firesAt: iso(at), local: show(due)})),
  }
}
