import type {Day, QuietSettings} from "../../../shared/config/alerts.ts"

const days: readonly Day[] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

/** Is `now`, in milliseconds since 1970, in quiet hours? Those that end before they begin reach into the next day. */
export const isQuiet = ({zone, hours}: QuietSettings, now: number): boolean => {
  if (hours.length === 0) return false
  const {day, minute} = localTime(zone, now)
  return hours.some(({from, to, days: on}) => {
    const [begin, end] = [minutesOf(from), minutesOf(to)]
    const beginsOn = (at: number) => on === undefined || on.includes(days[(at + 7) % 7] ?? "sun")
    if (begin < end) return beginsOn(day) && minute >= begin && minute < end
    return (beginsOn(day) && minute >= begin) || (beginsOn(day - 1) && minute < end)
  })
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Returns the day of the week, 0 for Sunday, and the minute of the day. */
const localTime = (zone: string, now: number): {readonly day: number; readonly minute: number} => {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(now)
  const part = (type: string) => parts.find(each => each.type === type)?.value ?? ""
  return {
    day: days.indexOf(part("weekday").toLowerCase() as Day),
    minute: minutesOf(`${part("hour").padStart(2, "0")}:${part("minute").padStart(2, "0")}`),
  }
}
