/** A time in a test: a Date, milliseconds since 1970, or text that `Date.parse` reads. */
export type Time = Date | number | string

/** How far to move a clock: seconds, or the sum of these. */
export type Span =
  | number
  | {readonly days?: number; readonly hours?: number; readonly minutes?: number; readonly seconds?: number}

const units = {days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000} as const

/** The end of the year 9999: later times have another ISO format. */
const latest = 253_402_300_799_999

/** Returns a time in milliseconds since 1970. Throws a `TypeError` for an invalid time. */
export const readTime = (what: string, time: Time): number => {
  const at = typeof time === "string" ? Date.parse(time) : Number(time)
  if (Number.isFinite(at) && at >= 0 && at <= latest) return Math.round(at)
  throw new TypeError(
    `${what} must be a Date, milliseconds since 1970, or text such as "2026-03-01T09:00:00Z", not ${String(time)}`,
  )
}

/** Returns a span in milliseconds. Throws a `TypeError` for an invalid or negative span. */
export const readSpan = (span: Span): number => {
  const parts: unknown = typeof span === "number" ? {seconds: span} : span
  const entries = typeof parts === "object" && parts !== null ? Object.entries(parts) : []
  const unknown = entries.find(([unit]) => !Object.hasOwn(units, unit))
  if (unknown !== undefined)
    throw new TypeError(`bot.clock.advance() knows days, hours, minutes and seconds, not ${unknown[0]}`)
  const isValid = entries.every(([, amount]) => typeof amount === "number" && amount >= 0)
  const sum = entries.reduce((whole, [unit, amount]) => whole + units[unit as keyof typeof units] * Number(amount), 0)
  if (entries.length > 0 && isValid && sum <= latest) return Math.round(sum)
  throw new TypeError("bot.clock.advance() needs seconds, or {days, hours, minutes, seconds}, none of them negative")
}
