import {expect, test} from "vitest"
import {consider, mostCatchUps, mostSkippedRows} from "../../../server/scheduler/consider.ts"
import {DueQueue} from "../../../server/scheduler/due-queue.ts"
import {Calculator} from "../../../server/scheduler/times/calculator.ts"
import type {Job} from "../../../shared/api/scheduled/jobs.ts"
import {Chance} from "../../support/machine/chance.ts"

const hourly: Job = {
  id: "hourly",
  schedule: {cron: "0 * * * *"},
  timezone: "UTC",
  target: {endpoint: "line", channel: "c", text: "t"},
}

const at = (text: string) => Date.parse(`2026-05-01T${text}Z`)

/** The result for the due time 09:00, with missed times up to `missedUpTo`. */
const considered = (change: Partial<Job>, missedUpTo: number, openRuns = 0, now = missedUpTo) => {
  const job = {...hourly, ...change}
  const times = new Calculator().times(job.schedule, job.timezone)
  const {planned, upTo} = consider(job, {times, due: at("09:00:00"), missedUpTo, now, openRuns})
  return {
    upTo: new Date(upTo).toISOString().slice(11, 16),
    planned: planned.map(({scheduledFor, trigger, skipped, missedFrom}) =>
      [
        new Date(scheduledFor).toISOString().slice(11, 16),
        skipped ?? trigger,
        ...(missedFrom === undefined ? [] : [`since ${new Date(missedFrom).toISOString().slice(11, 16)}`]),
      ].join(" "),
    ),
  }
}

test.each([
  ["skip", ["11:00 missed since 09:00"]],
  ["once", ["11:00 catch_up since 09:00"]],
  ["all", ["09:00 catch_up", "10:00 catch_up", "11:00 catch_up"]],
] as const)("of three missed due times, missed: %s makes %j", (missed, planned) => {
  expect(considered({missed}, at("11:30:00"))).toEqual({upTo: "11:00", planned})
})

test.each([
  ["skip", ["09:00 missed"]],
  ["once", ["09:00 catch_up"]],
  ["all", ["09:00 catch_up"]],
] as const)("of a single missed due time, missed: %s makes %j", (missed, planned) => {
  expect(considered({missed}, at("09:00:00"))).toEqual({upTo: "09:00", planned})
})

test("missed: all runs the newest hundred, oldest first, and has a row for each skipped one", () => {
  const {planned} = considered({missed: "all", schedule: {every: "1m"}}, at("12:00:00"))
  expect(planned).toHaveLength(181)
  expect(planned[0]).toBe("09:00 too_many")
  expect(planned[80]).toBe("10:20 too_many")
  expect(planned[81]).toBe("10:21 catch_up")
  expect(planned.at(-1)).toBe("12:00 catch_up")
})

test("a year of missed seconds makes no more rows than its newest six hundred", () => {
  const {planned, upTo} = considered(
    {missed: "all", schedule: {cron: "* * * * * *"}},
    at("09:00:00") + 365 * 86_400_000,
  )
  expect(planned).toHaveLength(mostCatchUps + mostSkippedRows + 1)
  expect(planned[0]).toContain("too_many since 09:00")
  expect(upTo).toBe("09:00")
})

test("missed: all runs due times of the last minute together, also beside an open run", () => {
  const change = {schedule: {every: "20s"}}
  const [late, now] = [at("08:59:59"), at("09:00:50")]
  const run = ["09:00 schedule", "09:00 schedule", "09:00 schedule"]
  expect(considered({...change, missed: "all"}, late, 1, now).planned).toEqual(run)
  expect(considered({...change, missed: "skip"}, late, 1, now).planned).toEqual(["09:00 overlap"])
})

test("a run that jitter still delays was not missed", () => {
  expect(considered({jitter: "30m"}, at("09:00:00")).planned).toEqual(["09:00 schedule"])
  expect(considered({jitter: "30m"}, at("09:30:00")).planned).toEqual(["09:00 missed"])
})

test("due times come out in order, for random stops and starts", () => {
  const chance = new Chance(5)
  const queue = new DueQueue<{at: number}>()
  const model: number[] = []
  for (let round = 0; round < 20_000; round++) {
    if (chance.below(5) < 3) {
      const next = chance.below(1000)
      queue.push({at: next})
      model.push(next)
      continue
    }
    model.sort((one, other) => one - other)
    expect(queue.peek()?.at).toBe(model[0])
    expect(queue.pop()?.at).toBe(model.shift())
    expect(queue.length).toBe(model.length)
  }
})
