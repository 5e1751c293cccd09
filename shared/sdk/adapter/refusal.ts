const refusal = Symbol.for("svc.refused")

export interface Refusal extends Error {
  readonly reason: string
  readonly remediation: string
}

/** Returns the error for what would fail again: wrong credentials, an unknown channel. The Host does not retry. */
export const refused = (message: string, why: {reason: string; remediation: string; cause?: unknown}): Refusal =>
  Object.assign(new Error(message, why.cause === undefined ? undefined : {cause: why.cause}), {
    [refusal]: true,
    reason: why.reason,
    remediation: why.remediation,
  })

export const isRefusal = (error: unknown): error is Refusal => error instanceof Error && refusal in error

const postponed = Symbol.for("svc.retryAfter")

/**
 * Returns the error for a `send` that the platform wants later: after `wait` milliseconds, or after the time in an HTTP
 * `Retry-After` header (seconds or a date; one second if it has neither). The attempt does not count.
 */
export const retryAfter = (wait: number | string | null, message = "the platform asks to wait"): Error =>
  Object.assign(new Error(message), {[postponed]: typeof wait === "number" ? wait : readRetryAfter(wait)})

const readRetryAfter = (header: string | null): number => {
  if (header !== null && /^\s*[0-9]+(\.[0-9]+)?\s*$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header ?? "")
  return Number.isNaN(at) ? 1000 : at - Date.now()
}

/** Returns the wait in milliseconds of an error made by `retryAfter`. */
export const postponementOf = (error: unknown): number | undefined => {
  const wait: unknown = error instanceof Error && postponed in error ? error[postponed] : undefined
  return typeof wait === "number" && !Number.isNaN(wait) ? wait : undefined
}
