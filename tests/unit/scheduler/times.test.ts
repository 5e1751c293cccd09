import {describe, expect, test} from "vitest"
import {Calculator, instantOf, jitterOf} from "../../../server/scheduler/times/calculator.ts"
import {patternFault, patternProblem} from "../../../server/scheduler/times/cron-pattern.ts"
import {localClock} from "../../../server/scheduler/times/local-clock.ts"
import type {Schedule} from "../../../shared/api/scheduled/jobs.ts"
import {isTimezone} from "../../../shared/timezone.ts"
import {Chance} from "../../support/machine/chance.ts"

const calculator = new Calculator()

const zones = ["America/New_York", "Europe/London", "Australia/Lord_Howe", "Africa/Casablanca"]

const between = (schedule: Schedule, timezone: string, from: string, to: string): number[] => {
  const times = calculator.times(schedule, timezone)
  const found: number[] = []
  for (let at = times.after(Date.parse(from) - 1); at !== undefined && at < Date.parse(to); at = times.after(at)) {
    found.push(at)
  }
  return found
}

const locally = (times: readonly number[], timezone: string) => times.map(localClock(timezone).show)

const cron = (pattern: string): Schedule => ({cron: pattern})

describe.each(zones)("in %s", timezone => {
  test.each([2026, 2028])("a time of the day comes once on each day of %i, at that time of the clock", year => {
    const days = year === 2028 ? 366 : 365
    const times = between(cron("0 9 * * *"), timezone, `${year}-01-01T12:00:00Z`, `${year + 1}-01-01T12:00:00Z`)
    expect(times).toHaveLength(days)
    expect(locally(times, timezone).filter(text => !text.includes(" 09:00 "))).toEqual([])
    expect(new Set(locally(times, timezone).map(text => text.slice(0, 10))).size).toBe(days)
  })

  test("a time of the night comes once on each day too, whatever the clock does", () => {
    for (const pattern of ["30 0 * * *", "15 1 * * *", "30 1 * * *", "15 2 * * *", "30 2 * * *", "0 3 * * *"]) {
      const times = between(cron(pattern), timezone, "2026-01-01T12:00:00Z", "2027-01-01T12:00:00Z")
      expect({pattern, days: new Set(locally(times, timezone).map(text => text.slice(0, 10))).size}).toEqual({
        pattern,
        days: 365,
      })
      expect(times).toHaveLength(365)
    }
  })

  test.each([
    ["2026-02-10", "2026-04-10"],
    ["2026-09-25", "2026-11-05"],
  ])("from %s to %s, a quarter of an hour comes once each night, including clock changes", (from, to) => {
    const times = between(cron("*/15 * * * *"), timezone, `${from}T00:00:00Z`, `${to}T00:00:00Z`)
    expect(times).toHaveLength((Date.parse(to) - Date.parse(from)) / 900_000)
    expect(times.filter((at, index) => index > 0 && at - (times[index - 1] ?? 0) !== 900_000)).toEqual([])
  })

  test("looking back finds the same times as looking ahead", () => {
    const chance = new Chance(7)
    const patterns = ["30 2 * * *", "*/20 1-3 * * *", "0 0 1 * *", "15 2 * * SUN", "0 9 L * *", "7 7 7 * * *"]
    for (let round = 0; round < 400; round++) {
      const pattern = chance.pick(patterns)
      const times = calculator.times(cron(pattern), timezone)
      const at = Date.parse("2026-01-01T00:00:00Z") + chance.below(365 * 86_400_000)
      const before = times.upTo(at) ?? Number.NaN
      const after = times.after(at) ?? Number.NaN
      expect({pattern, at, fits: before <= at && after > at}).toEqual({pattern, at, fits: true})
      expect({pattern, at, next: times.after(before)}).toEqual({pattern, at, next: after})
      expect({pattern, at, same: times.upTo(before), ahead: times.after(before - 1)}).toEqual({
        pattern,
        at,
        same: before,
        ahead: before,
      })
    }
  })
})

// From the IANA database: the clock changes of each zone in 2026.
test.each([
  ["America/New_York", "30 2 * * *", "2026-03-08", "2026-03-08 03:00 -04:00"],
  ["Europe/London", "30 1 * * *", "2026-03-29", "2026-03-29 02:00 +01:00"],
  ["Australia/Lord_Howe", "15 2 * * *", "2026-10-04", "2026-10-04 02:30 +11:00"],
  ["Africa/Casablanca", "30 2 * * *", "2026-03-22", "2026-03-22 03:00 +01:00"],
])("in %s, %s does not exist on %s: it comes at the end of the gap", (timezone, pattern, day, expected) => {
  const times = between(cron(pattern), timezone, `${day}T00:00:00-12:00`, `${day}T23:59:00+12:00`)
  const all = between(cron(pattern), timezone, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
  expect(locally(all, timezone).filter(text => text.startsWith(day))).toEqual([expected])
  expect(times.length).toBeLessThanOrEqual(1)
})

test.each([
  ["America/New_York", "30 1 * * *", "2026-11-01", "2026-11-01 01:30 -04:00"],
  ["Europe/London", "30 1 * * *", "2026-10-25", "2026-10-25 01:30 +01:00"],
  ["Australia/Lord_Howe", "45 1 * * *", "2026-04-05", "2026-04-05 01:45 +11:00"],
  ["Africa/Casablanca", "30 2 * * *", "2026-02-15", "2026-02-15 02:30 +01:00"],
])("in %s, %s comes twice on %s: it counts once, the first time", (timezone, pattern, day, expected) => {
  const all = between(cron(pattern), timezone, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
  expect(locally(all, timezone).filter(text => text.startsWith(day))).toEqual([expected])
})

test("a pattern with several times follows the clock: skipped times are left out, repeats come twice", () => {
  const day = (pattern: string, date: string) =>
    locally(between(cron(pattern), "Europe/London", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"), "Europe/London")
      .filter(text => text.startsWith(date))
      .map(text => text.slice(11))
  expect(day("0,30 1 * * *", "2026-03-29")).toEqual([])
  expect(day("0,30 1 * * *", "2026-10-25")).toEqual(["01:00 +01:00", "01:30 +01:00", "01:00 +00:00", "01:30 +00:00"])
})

test("the 29th of February comes in leap years only", () => {
  const times = between(cron("0 12 29 2 *"), "Europe/London", "2026-01-01T00:00:00Z", "2040-01-01T00:00:00Z")
  expect(locally(times, "Europe/London").map(text => text.slice(0, 10))).toEqual([
    "2028-02-29",
    "2032-02-29",
    "2036-02-29",
  ])
})

test("every counts elapsed time from its anchor, and does not drift", () => {
  const times = calculator.times({every: "7m"}, "UTC")
  const start = Date.parse("2026-01-01T00:00:00Z")
  let at = times.after(start + 12_345) ?? 0
  expect(at % 420_000).toBe(0)
  for (let count = 0; count < 1000; count++) {
    const next: number = times.after(at + 419_999) ?? 0
    expect(next - at).toBe(420_000)
    at = next
  }
  expect(times.upTo(at)).toBe(at)
  expect(times.upTo(at - 1)).toBe(at - 420_000)
})

test("every with from counts from that time in the job's timezone, and not before", () => {
  const times = calculator.times({every: "24h", from: "2026-03-28T09:00"}, "Europe/London")
  const first = Date.parse("2026-03-28T09:00:00Z")
  expect(times.after(0)).toBe(first)
  expect(times.upTo(first - 1)).toBeUndefined()
  // Elapsed time, not the clock: the day of the change has 23 hours.
  expect(localClock("Europe/London").show(times.after(first) ?? 0)).toBe("2026-03-29 10:00 +01:00")
})

test("at comes once", () => {
  const times = calculator.times({at: "2026-07-01T09:00"}, "America/New_York")
  const at = Date.parse("2026-07-01T13:00:00Z")
  expect([times.after(at - 1), times.after(at), times.upTo(at), times.upTo(at - 1)]).toEqual([
    at,
    undefined,
    at,
    undefined,
  ])
})

test.each([
  ["2026-07-01T09:00", "America/New_York", "2026-07-01T13:00:00.000Z"],
  ["2026-07-01T09:00:30", "Europe/London", "2026-07-01T08:00:30.000Z"],
  ["2026-07-01T09:00Z", "Europe/London", "2026-07-01T09:00:00.000Z"],
  ["2026-07-01T09:00-05:30", "Europe/London", "2026-07-01T14:30:00.000Z"],
  ["2026-03-29T01:30", "Europe/London", "2026-03-29T01:00:00.000Z"],
  ["2026-10-25T01:30", "Europe/London", "2026-10-25T00:30:00.000Z"],
  ["2028-02-29T00:00", "Pacific/Kiritimati", "2028-02-28T10:00:00.000Z"],
])("%s in %s is the instant %s", (text, timezone, expected) => {
  expect(new Date(instantOf(text, timezone) ?? 0).toISOString()).toBe(expected)
})

test.each(["2026-02-29T09:00", "2026-13-01T09:00", "2026-04-31T09:00Z", "2026-04-30T24:00", "2026-04-30T23:60"])(
  "there is no %s",
  text => expect(instantOf(text, "Europe/London")).toBeUndefined(),
)

test.each([
  ["0 9 * *", "expected five fields"],
  ["0 9 * * * * *", "expected five fields"],
  ["61 9 * * *", "61"],
  ["0 9 * * FOO", 'weekday "FOO" at column 9: expected 0 to 7'],
  ["? 9 * * *", "means the time at which the pattern is read"],
  ["0 0 30 2 *", "matches no time"],
  ["2026-05-01T09:00:00", "expected five fields"],
  ["@reboot", "expected one of @yearly"],
])("the pattern %j is refused: %s", (pattern, expected) => expect(patternProblem(pattern)).toContain(expected))

test.each([
  ["0 61 * * *", 3, 'hour "61"'],
  ["0  9 32 * *", 6, 'day of the month "32"'],
  ["99 0 9 * * *", 1, 'second "99"'],
  ["0 9 * 13 *", 7, 'month "13"'],
  ["*/0 * * * *", 1, "minute"],
  ["0 9 ? * *", 5, "means the time"],
  ["0 0 30 2 *", undefined, "matches no time"],
])("in %j the invalid field is at column %s: %s", (pattern, column, expected) => {
  const fault = patternFault(pattern)
  expect(fault?.column).toBe(column)
  expect(fault?.message).toContain(expected)
})

test.each(["0 9 * * MON-FRI", "*/5 * * * *", "@daily", "0 0 9 L * *", "0 9 * * 1#2"])(
  "the pattern %j is accepted",
  pattern => expect(patternProblem(pattern)).toBeUndefined(),
)

test("a timezone is a name of the IANA database", () => {
  expect(["Europe/London", "UTC", "America/Argentina/Buenos_Aires"].filter(isTimezone)).toHaveLength(3)
  expect(["Mars/Olympus", "+01:00", "-05", "", "Europe"].filter(isTimezone)).toEqual([])
})

test("jitter is constant for a job and a time, differs between jobs, and stays below its limit", () => {
  const job = (id: string) => ({id, jitter: "10m"})
  const due = Date.parse("2026-01-01T09:00:00Z")
  const delays = Array.from({length: 1000}, (_, index) => jitterOf(job(`job-${index}`), due))
  expect(delays).toEqual(Array.from({length: 1000}, (_, index) => jitterOf(job(`job-${index}`), due)))
  expect(Math.max(...delays)).toBeLessThan(600_000)
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
  expect(Math.abs(delays.reduce((sum, delay) => sum + delay, 0) / delays.length - 300_000)).toBeLessThan(30_000)
  expect(jitterOf({id: "plain"}, due)).toBe(0)
})
