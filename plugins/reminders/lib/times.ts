export const minute = 60_000
const units: Readonly<Record<string, number>> = {s: 1000, m: minute, h: 60 * minute, d: 24 * 60 * minute}

/** Returns "90s", "10m", "2h" or "1d" in milliseconds; undefined for other texts. */
export const readSpan = (text: string): number | undefined => {
  const [, count, unit = ""] = /^([1-9]\d{0,3})([smhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (units[unit] ?? 0)
}

/** Returns "9:05" as a time with two digits for the hour, and as a daily cron pattern; undefined for other texts. */
export const readClock = (text: string): {time: string; cron: string} | undefined => {
  const [, hour, past] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hour === undefined ? undefined : {time: `${hour.padStart(2, "0")}:${past}`, cron: `${past} ${hour} * * *`}
}

export const isTimezone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", {timeZone: name}).resolvedOptions() !== undefined
  } catch {
    return false
  }
}

/**
 * Returns the next time after `now` at which clocks in this time zone show `time`. It checks every minute, so changes
 * to daylight saving time need no special case.
 */
export const nextMoment = (time: string, timeZone: string, now: number): number => {
  const clock = new Intl.DateTimeFormat("en-GB", {timeZone, hour: "2-digit", minute: "2-digit"})
  let at = Math.ceil((now + 1) / minute) * minute
  while (clock.format(at) !== time) at += minute
  return at
}
