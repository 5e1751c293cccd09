import {inAscii} from "./sdk/text/typed.ts"

/** A number and its unit: 30s, 15m, 24h, 7d. */
export const durationPattern = "^[0-9]+(s|m|h|d)$"

/** An age limit: a duration of at least 1s, or `never`. */
export const agePattern = "^([1-9][0-9]*(s|m|h|d)|never)$"

/** A rate: how many at once and then within a duration, such as `10/1m`. */
export const ratePattern = "^[1-9][0-9]{0,4}/[1-9][0-9]*(s|m|h|d)$"

const units: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000}

/** Returns milliseconds. The text must match `durationPattern`. */
export const durationOf = (text: string): number => Number(text.slice(0, -1)) * (units[text.slice(-1)] ?? 0)

/** Returns a time in ISO 8601 from a date, with or without a time, or a duration from now; otherwise undefined. */
export const timeFrom = (typed: string, now: number): string | undefined => {
  const text = inAscii(typed)
  const at = new RegExp(durationPattern).test(text)
    ? now + durationOf(text)
    : /^\d{4}-\d\d-\d\d(T.*)?$/.test(text)
      ? Date.parse(text)
      : Number.NaN
  return Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : undefined
}
