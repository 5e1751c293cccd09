const refusal = Symbol.for("svc.refused")

export interface Refusal extends Error {
  readonly reason: string
  readonly remediation: string
  /** May the refusal of a connection end without a change of the account? */
  readonly passing: boolean
}

/**
 * Returns the error for an `open` or a `send` that would fail again: wrong credentials, an unknown channel.
 *
 * The Host does not repeat the `send`. For `open` and `lost`, a refusal means that only a change of the account helps:
 * an endpoint that was never online with the account fails at once, any other after three refusals in a row over some
 * minutes. Set `passing` unless that is certain: another client has the connection, a proxy may have answered. The Host
 * then retries for ever, at least 5 minutes apart after the third refusal in a row. `passing` says nothing about a `send`.
 */
export const refused = (
  message: string,
  why: {reason: string; remediation: string; cause?: unknown; passing?: boolean},
): Refusal =>
  Object.assign(new Error(message, why.cause === undefined ? undefined : {cause: why.cause}), {
    [refusal]: true,
    reason: why.reason,
    remediation: why.remediation,
    passing: why.passing === true,
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
