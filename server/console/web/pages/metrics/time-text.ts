import type {Range} from "../../host/metric-history.ts"
import {dates} from "../../texts/locale.ts"

const clock = dates({hour: "2-digit", minute: "2-digit"})
const dayAndClock = dates({
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
})
const day = dates({day: "numeric", month: "short"})

const aDay = 86_400_000

/** Returns a formatter for times within a range, as short as the range allows. It accepts seconds since 1970. */
export const timeTextOf = ({from, to}: Range): ((seconds: number) => string) => {
  const length = to - from
  const style = length <= aDay ? clock : length <= 4 * aDay ? dayAndClock : day
  return seconds => style(seconds * 1000)
}
