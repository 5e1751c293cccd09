import type {Range} from "../../host/metric-history.ts"

const clock = new Intl.DateTimeFormat("en-GB", {hour: "2-digit", minute: "2-digit"})
const dayAndClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
})
const day = new Intl.DateTimeFormat("en-GB", {day: "numeric", month: "short"})

const aDay = 86_400_000

/** How a time within a range is written: as little as tells it from the others. Takes seconds since 1970. */
export const timeTextOf = ({from, to}: Range): ((seconds: number) => string) => {
  const length = to - from
  const style = length <= aDay ? clock : length <= 4 * aDay ? dayAndClock : day
  return seconds => style.format(seconds * 1000)
}
