const refusal = Symbol.for("svc.refused")

export interface Refusal extends Error {
  readonly reason: string
  readonly remediation: string
}

/** The error for an `open` or a `send` that would fail again: wrong credentials, an unknown channel. */
export const refused = (message: string, why: {reason: string; remediation: string; cause?: unknown}): Refusal =>
  Object.assign(new Error(message, why.cause === undefined ? undefined : {cause: why.cause}), {
    [refusal]: true,
    reason: why.reason,
    remediation: why.remediation,
  })

export const isRefusal = (error: unknown): error is Refusal => error instanceof Error && refusal in error

const postponed = Symbol.for("svc.retryAfter")

/**
 * The error for a `send` that the platform did not take and wants later: after so many milliseconds, or after what an
 * HTTP answer's `Retry-After` says (seconds or a date; a second where it says nothing). The attempt does not count.
 */
export const retryAfter = (wait: number | string | null, message = "the platform asks to wait"): Error =>
  Object.assign(new Error(message), {[postponed]: typeof wait === "number" ? wait : readRetryAfter(wait)})

const readRetryAfter = (header: string | null): number => {
  if (header !== null && /^\s*[0-9]+(\.[0-9]+)?\s*$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header ?? "")
  return Number.isNaN(at) ? 1000 : at - Date.now()
}

/** The milliseconds of an error that `retryAfter` made. */
export const postponementOf = (error: unknown): number | undefined => {
  const wait: unknown = error instanceof Error && postponed in error ? error[postponed] : undefined
  return typeof wait === "number" && !Number.isNaN(wait) ? wait : undefined
}
