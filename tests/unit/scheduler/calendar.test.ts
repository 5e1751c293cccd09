import {expect, test} from "vitest"
import {calendarOf, type Span} from "../../../server/scheduler/calendar.ts"
import {Calculator} from "../../../server/scheduler/times/calculator.ts"
import type {Job} from "../../../shared/api/scheduled/jobs.ts"
import {jobOf} from "../../support/scheduler/jobs.ts"

const calculator = new Calculator()
const comerOf = (job: Job) => ({job, times: calculator.times(job.schedule, job.timezone)})

const calendar = (jobs: readonly Job[], from: string, span: Partial<Span> = {}) =>
  calendarOf(jobs.map(comerOf), {timezone: "UTC", from: Date.parse(from), days: 7, limit: 10, ...span})

const hoursOf = ({from, to}: {readonly from: string; readonly to: string}) =>
  (Date.parse(to) - Date.parse(from)) / 3_600_000

const nightly = jobOf("nightly", {timezone: "Europe/London", schedule: {cron: "30 1 * * *"}})

test("a calendar has the viewer's days, and the times of each job on its own clock", async () => {
  const {days, complete} = await calendar([nightly], "2026-11-21T12:00:00Z", {timezone: "America/New_York"})
  expect(complete).toBe(true)
  expect(days.map(({date}) => date)).toEqual([21, 22, 23, 24, 25, 26, 27].map(day => `2026-11-${day}`))
  expect(days[0]).toMatchObject({from: "2026-11-21T05:00:00.000Z", to: "2026-11-22T05:00:00.000Z", changes: []})
  expect(days[0]?.jobs).toEqual([
    {
      job: "nightly",
      timezone: "Europe/London",
      more: false,
      times: [
        {
          scheduledFor: "2026-11-22T01:30:00.000Z",
          firesAt: "2026-11-22T01:30:00.000Z",
          local: "2026-11-22 01:30 +00:00",
        },
      ],
    },
  ])
})

test("the day of a clock going back has 25 hours and says so, and a repeated time comes once", async () => {
  const {days} = await calendar([nightly], "2026-10-24T00:00:00Z", {timezone: "Europe/London", days: 3})
  const change = {timezone: "Europe/London", at: "2026-10-25T01:00:00.000Z", before: "+01:00", after: "+00:00"}
  expect(days.map(hoursOf)).toEqual([24, 25, 24])
  expect(days.map(({changes}) => changes)).toEqual([[], [change], []])
  expect(days.map(({jobs}) => jobs[0]?.times.map(({local}) => local))).toEqual([
    ["2026-10-24 01:30 +01:00"],
    ["2026-10-25 01:30 +01:00"],
    ["2026-10-26 01:30 +00:00"],
  ])
})

test("clock changes in jobs' timezones are shown on their days, unless the viewer has them too", async () => {
  const howe = jobOf("howe", {timezone: "Australia/Lord_Howe", schedule: {cron: "0 12 * * *"}})
  const {days} = await calendar([nightly, howe], "2026-10-03T00:00:00Z", {days: 30})
  expect(
    days.flatMap(({date, changes}) => changes.map(({timezone, before, after}) => [date, timezone, before, after])),
  ).toEqual([
    ["2026-10-03", "Australia/Lord_Howe", "+10:30", "+11:00"],
    ["2026-10-25", "Europe/London", "+01:00", "+00:00"],
  ])
  const none = await calendar([], "2026-03-28T00:00:00Z", {timezone: "Europe/London", days: 2})
  expect(none.days.map(hoursOf)).toEqual([24, 23])
  expect(none.days[1]?.changes).toMatchObject([{before: "+00:00", after: "+01:00"}])
})

test("a frequent job has its first times on each day, with a note that there are more", async () => {
  const often = jobOf("often", {schedule: {every: "1s"}, jitter: "1m"})
  const once = jobOf("once", {schedule: {at: "2026-11-22T08:00:30Z"}, timezone: "UTC"})
  const {days} = await calendar([once, often], "2026-11-21T12:00:00Z", {days: 2, limit: 3})
  expect(days.map(({jobs}) => jobs.map(({job, times, more}) => [job, times.length, more]))).toEqual([
    [["often", 3, true]],
    [
      ["often", 3, true],
      ["once", 1, false],
    ],
  ])
  const [first] = days[0]?.jobs[0]?.times ?? []
  expect(first?.scheduledFor).toBe("2026-11-21T12:00:00.000Z")
  expect(Date.parse(first?.firesAt ?? "")).toBeGreaterThan(Date.parse("2026-11-21T12:00:00.000Z"))
})

test("a calendar with too many times ends, and says so", async () => {
  const jobs = Array.from({length: 40}, (_, n) => jobOf(`job-${n}`, {schedule: {every: "1m"}}))
  const {complete, days} = await calendar(jobs, "2026-11-21T00:00:00Z", {limit: 10})
  expect(complete).toBe(false)
  expect(days[0]?.jobs).toHaveLength(29)
  expect((await calendar(jobs.slice(0, 29), "2026-11-21T00:00:00Z", {limit: 10})).complete).toBe(true)
})
