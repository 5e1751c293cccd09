import type {ClockChange} from "../../../shared/api/scheduled/job-calendar.ts"

/** A clock in a timezone. Creating one is expensive, reading it is not. */
export interface LocalClock {
  readonly timezone: string
  /** Returns the local time with its offset: `2026-03-29 09:00 +01:00`. */
  show(at: number): string
  /** Returns the offset from UTC: `+01:00`. */
  offset(at: number): string
}

export const localClock = (timezone: string): LocalClock => {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  })
  const read = (at: number) => {
    const parts = format.formatToParts(at)
    return (type: string) => parts.find(each => each.type === type)?.value ?? ""
  }
  const offsetIn = (part: (type: string) => string) => part("timeZoneName").replace("GMT", "") || "+00:00"
  return {
    timezone,
    offset: at => offsetIn(read(at)),
    show: at => {
      const part = read(at)
      const seconds = part("second") === "00" ? "" : `:${part("second")}`
      const date = `${part("year")}-${part("month")}-${part("day")}`
      return `${date} ${part("hour")}:${part("minute")}${seconds} ${offsetIn(part)}`
    },
  }
}

/** The step of the search for clock changes, in milliseconds. */
const stride = 12 * 3_600_000

/** Returns the changes of a clock from `from` until before `to`, to the second. */
export const changesOf = ({timezone, offset}: LocalClock, from: number, to: number): readonly ClockChange[] => {
  const found: ClockChange[] = []
  let [at, before] = [from, offset(from)]
  while (at < to) {
    const next = Math.min(at + stride, to)
    const after = offset(next)
    if (after !== before) {
      const moment = firstWith(offset, after, at, next)
      if (moment < to) found.push({timezone, at: new Date(moment).toISOString(), before, after})
    }
    ;[at, before] = [next, after]
  }
  return found
}

/** Returns the first second after `early` whose offset is `after`, the offset at `late`. */
const firstWith = (offset: (at: number) => string, after: string, early: number, late: number): number => {
  let [low, high] = [Math.floor(early / 1000), Math.ceil(late / 1000)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offset(middle * 1000) === after) high = middle
    else low = middle
  }
  return high * 1000
}
