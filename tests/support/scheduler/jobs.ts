import {v7 as uuid} from "uuid"
import type {Database} from "../../../server/database/database.ts"
import type {Clock} from "../../../server/runtime/flow/clock.ts"
import {Scheduler} from "../../../server/scheduler/scheduler.ts"
import type {Firing, FiringEffect, FiringTarget, Job} from "../../../shared/api/scheduled/jobs.ts"
import {log} from "../database/databases.ts"

/** A job with a stand-in target. */
export const jobOf = (id: string, change: Partial<Job> = {}): Job => ({
  id,
  schedule: {cron: "0 * * * *"},
  timezone: "UTC",
  target: {endpoint: "line", channel: "c", text: id},
  ...change,
})

/** `hourly 2026-05-01T09:00` */
export const nameOf = ({job, scheduledFor}: {readonly job: string; readonly scheduledFor: number}): string =>
  `${job} ${new Date(scheduledFor).toISOString().replace(":00.000Z", "")}`

export interface SchedulerParts {
  readonly clock: Clock
  /** The effect of the stand-in target on each firing; none by default. */
  readonly fire?: (firing: Firing) => Promise<FiringEffect | undefined> | FiringEffect | undefined
  readonly isPaused?: () => boolean
}

/** A scheduler without a Host: the target is a stand-in; the database and the clock are real. */
export const schedulerOn = (database: Database, {clock, fire, isPaused = () => false}: SchedulerParts) => {
  const fired: string[] = []
  const target: FiringTarget = {
    problem: () => undefined,
    fire: async firing => {
      fired.push(nameOf(firing))
      return (await fire?.(firing)) ?? {statements: []}
    },
  }
  const scheduler = new Scheduler({
    database,
    log,
    scrub: text => text,
    runtimeId: uuid(),
    isPaused,
    targetOf: () => target,
    clock,
  })
  return {scheduler, fired, settle: () => scheduler.idle(), claim: () => scheduler.claimed()}
}

/** `hourly 2026-05-01T09:00 succeeded`, in the order of the claims. */
export const runsIn = async (database: Database): Promise<readonly string[]> => {
  return (await database.read("SELECT job, scheduled_for, cause, state, reason FROM job_runs ORDER BY seq")).map(row =>
    [
      nameOf({job: String(row.job), scheduledFor: Number(row.scheduled_for)}),
      ...(row.cause === "schedule" ? [] : [row.cause]),
      row.state,
      ...(row.reason === null ? [] : [row.reason]),
    ].join(" "),
  )
}
