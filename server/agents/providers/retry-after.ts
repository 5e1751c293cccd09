/** The longest wait for a provider, in milliseconds. */
const longest = 24 * 3600_000

/**
 * Returns how long to wait before a retry, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP
 * date (RFC 9110); at most a day. Undefined if neither exists or can be read. `now` is in milliseconds since 1970.
 */
export const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const wait = millisecondsOf(headers.get("retry-after-ms")) ?? secondsOrDateOf(headers.get("retry-after"), now)
  return wait === undefined ? undefined : Math.min(Math.ceil(wait), longest)
}

const millisecondsOf = (text: string | null): number | undefined =>
  text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined

const secondsOrDateOf = (text: string | null, now: number): number | undefined => {
  const seconds = millisecondsOf(text)
  if (seconds !== undefined) return seconds * 1000
  // Date.parse accepts much more than HTTP dates, such as "-5" as a year.
  if (text === null || !/^\s*[A-Za-z]{3,9},? /.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
