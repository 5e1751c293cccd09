import type {EventData} from "../../shared/events.ts"

/** At first so many errors are told of, then one in so many milliseconds. */
const burst = 20
const refill = 3000

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
  #tokens = burst
  #at = 0
  #suppressed = 0

  /** The event's data; undefined where none is raised. `now` in milliseconds, of a clock that does not go back. */
  take({level, message, code, plugin}: LoggedError, now = performance.now()): EventData<"log.error"> | undefined {
    if (typeof code === "string" && /^(database_|lease_)/.test(code)) return undefined
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#at) / refill)
    this.#at = now
    if (this.#tokens < 1) {
      this.#suppressed++
      return undefined
    }
    this.#tokens--
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
