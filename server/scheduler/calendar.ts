import type {CalendarView, ClockChange} from "../../shared/api/scheduled/job-calendar.ts"
import {type Entry, inSlices} from "./job-table.ts"
import {instantOf, jitterOf} from "./times/calculator.ts"
import {changesOf, type LocalClock, localClock} from "./times/local-clock.ts"

type Comer = Pick<Entry, "job" | "times">

export interface Span {
  readonly timezone: string
  /** Earlier times are left out. In milliseconds since 1970. */
  readonly from: number
  readonly days: number
  /** The most times per job and day. */
  readonly limit: number
}

/** The most times of a calendar: nobody reads more. */
const mostTimes = 2000

type Day = CalendarView["days"][number]
type Coming = Day["jobs"][number]

/** Returns what falls due, day by day. Yields to the event loop in between: parsing a pattern takes a millisecond. */
export const calendarOf = async (comers: Iterable<Comer>, span: Span): Promise<CalendarView> => {
  const clocks = new Map<string, LocalClock>()
  const clockOf = (timezone: string): LocalClock => {
    const clock = clocks.get(timezone) ?? localClock(timezone)
    clocks.set(timezone, clock)
    return clock
  }
  const days = daysOf(clockOf(span.timezone), span)
  const coming = days.map((): Coming[] => [])
  let [told, complete] = [0, true]
  await inSlices(comers, comer => {
    complete = told < mostTimes
    if (!complete) return false
    for (const [index, day] of days.entries()) {
      const found = comingOn(comer, day, span, clockOf)
      if (found !== undefined) coming[index]?.push(found)
      told += found?.times.length ?? 0
    }
    return undefined
  })
  return {
    timezone: span.timezone,
    complete,
    days: days.map((day, index) => viewDay(day, coming[index] ?? [], span.timezone, clockOf)),
  }
}

interface Bounds {
  readonly date: string
  readonly from: number
  readonly to: number
}

/** Returns the days from the day of `from` on. A day starts at its first moment, whatever the clock shows then. */
const daysOf = (clock: LocalClock, {timezone, from, days}: Span): readonly Bounds[] => {
  const first = Date.parse(`${clock.show(from).slice(0, 10)}T00:00:00Z`)
  const dates = Array.from({length: days + 1}, (_, index) => new Date(first + index * 86_400_000).toISOString())
  const begins = dates.map(date => instantOf(`${date.slice(0, 10)}T00:00`, timezone) ?? Date.parse(date))
  return begins.slice(0, -1).map((begin, index) => ({
    date: (dates[index] ?? "").slice(0, 10),
    from: begin,
    to: begins[index + 1] ?? begin,
  }))
}

const comingOn = (
  {job, times}: Comer,
  {from, to}: Bounds,
  span: Span,
  clockOf: (timezone: string) => LocalClock,
): Coming | undefined => {
  const found: Coming["times"][number][] = []
  const {show} = clockOf(job.timezone)
  let due = times.after(Math.max(from, span.from) - 1)
  for (; due !== undefined && due < to && found.length < span.limit; due = times.after(due)) {
    const firesAt = new Date(due + jitterOf(job, due)).toISOString()
    found.push({scheduledFor: new Date(due).toISOString(), firesAt, local: show(due)})
  }
  if (found.length === 0) return undefined
  return {job: job.id, timezone: job.timezone, more: due !== undefined && due < to, times: found}
}

const viewDay = (
  {date, from, to}: Bounds,
  coming: readonly Coming[],
  timezone: string,
  clockOf: (timezone: string) => LocalClock,
): Day => {
  const timezones = new Set([timezone, ...coming.map(each => each.timezone)])
  const changes = [...timezones].flatMap((each): readonly ClockChange[] => changesOf(clockOf(each), from, to))
  const first = ({times}: Coming) => times[0]?.scheduledFor ?? ""
  return {
    date,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    changes,
    jobs: [...coming].sort((one, other) => (first(one) < first(other) ? -1 : 1)),
  }
}
