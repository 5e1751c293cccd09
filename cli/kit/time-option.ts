import {durationOf, durationPattern, timeFrom} from "../../shared/duration.ts"
import {Problem} from "../../shared/problems.ts"

/** Returns the time that an option names, in ISO 8601; undefined without the option. Throws `request_invalid`. */
export const timeOption = (name: string, typed: string | undefined): string | undefined => {
  const time = typed === undefined ? undefined : timeFrom(typed, Date.now())
  if (typed === undefined || time !== undefined) return time
  throw new Problem("request_invalid", `${name} ${typed} is not a time`, {
    hint: "Use a date such as 2030-01-31, a time in ISO 8601, or a time from now such as 12h or 2d.",
  })
}

/** Returns the milliseconds of the duration that an option names, such as `--limit 30m`. Throws `request_invalid`. */
export const durationOption = (name: string, typed: string, examples: string): number => {
  if (new RegExp(durationPattern).test(typed)) return durationOf(typed)
  throw new Problem("request_invalid", `${name} must be a duration such as ${examples}, not "${typed}"`)
}
