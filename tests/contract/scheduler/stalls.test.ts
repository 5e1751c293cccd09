import {join} from "node:path"
import {expect, test} from "vitest"
import type {Job} from "../../../shared/api/scheduled/jobs.ts"
import {memoryFolder, open} from "../../support/database/databases.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"
import {jobOf, schedulerOn} from "../../support/scheduler/jobs.ts"

const start = Date.parse("2026-05-01T09:00:00Z")
const timeOf = (at: number) => new Date(at).toISOString()
const policies = ["skip", "once", "all"] as const
const periods = [1, 5, 20, 60]
/** In seconds. */
const stalls = [0, 1, 4, 6, 30, 59, 60, 61, 119, 121, 180, 300]

const jobs: readonly Job[] = policies.flatMap(missed =>
  periods.map(period => jobOf(`${missed}-${period}`, {missed, schedule: {every: `${period}s`}})),
)

/** A Host whose event loop stalls for this time, one second after its start. */
const stalledFor = async (seconds: number) => {
  const database = await open({dialect: "sqlite", file: join(memoryFolder(), "data.sqlite")})
  const clock = new HandClock(timeOf(start + 500))
  const {scheduler, settle} = schedulerOn(database, {clock})
  await scheduler.start(jobs)
  await settle()
  // No timer fires during the stall; the pending one fires late.
  clock.set(timeOf(start + 500 + seconds * 1000))
  const end = start + 500 + seconds * 1000 + 60_000
  await clock.passTo(timeOf(end), settle)
  const rows = await database.read("SELECT job, scheduled_for, missed_from, state, reason FROM job_runs ORDER BY seq")
  const runsOf = (id: string): readonly {readonly at: number; readonly from: number; readonly is: string}[] =>
    rows
      .filter(row => row.job === id)
      .map(row => ({
        at: Number(row.scheduled_for),
        from: Number(row.missed_from ?? row.scheduled_for),
        is: row.state === "skipped" ? `skipped ${row.reason}` : String(row.state),
      }))
  return {runsOf, end}
}

/** The due times of a job after the start, up to `end`. */
const dueTimes = (period: number, end: number): readonly number[] => {
  const times: number[] = []
  for (let at = start + period * 1000; at <= end; at += period * 1000) times.push(at)
  return times
}

test.each(stalls)("a stall of %i s leaves a row for each due time, under each policy", async seconds => {
  const {runsOf, end} = await stalledFor(seconds)
  for (const period of periods) {
    const due = dueTimes(period, end)
    for (const missed of policies) {
      const runs = runsOf(`${missed}-${period}`)
      const uncovered = due.filter(at => !runs.some(run => run.from <= at && at <= run.at))
      expect({missed, period, uncovered}).toEqual({missed, period, uncovered: []})
      expect(new Set(runs.map(({at}) => at)).size).toBe(runs.length)
    }
    const all = runsOf(`all-${period}`)
    expect(all.map(({at}) => at)).toEqual(due)
    const together = due.filter(at => at <= start + 500 + seconds * 1000)
    const skipped = all.filter(({is}) => is !== "succeeded")
    const least = Math.max(0, together.length - 100)
    // The timer may come up to one period after the stall; later due times are considered together with the others.
    expect(skipped.length).toBeGreaterThanOrEqual(least)
    expect(skipped.length).toBeLessThanOrEqual(Math.max(0, together.length + 1 - 100))
    expect(skipped.every(({is}) => is === "skipped too_many")).toBe(true)
    expect(skipped.map(({at}) => at)).toEqual(due.slice(0, skipped.length))
  }
})
