import type {Job, JobView, NextTimes} from "../../shared/jobs.ts"
import type {Static} from "../../shared/type.ts"
import {JobTable} from "./job-table.ts"

export const iso = (at: number): string => new Date(at).toISOString()

/** A time as a clock in that timezone shows it, with its offset: `2026-03-29 09:00 +01:00`. */
export const localTime = (at: number, timezone: string): string => {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  }).formatToParts(at)
  const part = (type: string) => parts.find(each => each.type === type)?.value ?? ""
  const seconds = part("second") === "00" ? "" : `:${part("second")}`
  const offset = part("timeZoneName").replace("GMT", "") || "+00:00"
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}${seconds} ${offset}`
}

/** A job as the API shows it, with what holds where the file says nothing. */
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
})

/** The coming times of a job, from `from` on, in milliseconds since 1970. */
export const viewNext = (job: Job, count: number, from: number): NextTimes => ({
  timezone: job.timezone,
  items: new JobTable().coming(job, count, from).map(({due, at}) => ({
    scheduledFor: iso(due),
    firesAt: iso(at),
    local: localTime(due, job.timezone),
  })),
})
