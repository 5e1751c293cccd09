import type {EventData} from "../../shared/events/events.ts"
import {TokenBucket} from "../../shared/sdk/adapter/token-bucket.ts"

/** How many errors in a burst become events, and afterwards the interval between them, in milliseconds. */
const limits = {burst: 20, interval: 3000} as const

/** The part of a log record that becomes an event. */
export interface LoggedError {
  readonly level: string
  readonly message: string
  readonly code?: unknown
  readonly plugin?: unknown
}

/**
 * Decides which logged errors become events. A burst is reported partly, with the number of suppressed errors. Errors
 * of a failing database never become events, since their event could not be stored and would fail again.
 */
export class ErrorEvents {
  readonly #bucket = new TokenBucket(limits)
  #suppressed = 0

  /** Returns the event's data; undefined for no event. `now` is in milliseconds of a monotonic clock. */
  take({level, message, code, plugin}: LoggedError, now = performance.now()): EventData<"log.error"> | undefined {
    if (typeof code === "string" && /^(database_|lease_)/.test(code)) return undefined
    if (!this.#bucket.take(now)) {
      this.#suppressed++
      return undefined
    }
    const suppressed = this.#suppressed
    this.#suppressed = 0
    return {
      level: level === "fatal" ? "fatal" : "error",
      message: message.slice(0, 1000),
      ...(typeof plugin === "string" ? {plugin} : {}),
      suppressed,
    }
  }
}
