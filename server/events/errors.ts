import type {EventData} from "../../shared/events.ts"
import {TokenBucket} from "../../shared/sdk/adapter/token-bucket.ts"

/** So many errors at once become events, then one in so many milliseconds. */
const limits = {burst: 20, interval: 3000} as const

/** What of a log record becomes an event. */
export interface LoggedError {
  readonly level: string
  readonly message: string
  readonly code?: unknown
  readonly plugin?: unknown
}

/**
 * Which logged errors are events. A storm is told of in part, with how many were left out; what the database's failing
 * logs is none: its event could not be stored, and would fail again.
 */
export class ErrorEvents {
  readonly #bucket = new TokenBucket(limits)
  #suppressed = 0

  /** The event's data; undefined where none is raised. `now` in milliseconds, of a clock that does not go back. */
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
