import type {Log} from "../../../shared/log.ts"
import {isProblem, messageOf} from "../../../shared/problems.ts"
import {type Clock, systemClock} from "./clock.ts"

/** A failure is followed by another try after so many milliseconds. */
const pauseAfterFailure = 1000

export interface DueClockOptions {
  /** For the log: what falls due. */
  readonly what: string
  /** The earliest due time of all that waits, in milliseconds since 1970; undefined where nothing waits. */
  readonly next: () => Promise<number | undefined>
  /** Does what is due at `now`, or the first page of it. */
  readonly fire: (now: number) => Promise<unknown>
  readonly log: Log
  readonly clock?: Clock
}

/**
 * One timer for rows that fall due, however many wait: it sleeps until the earliest, fires, and asks for the next. What is
 * due is fired one page after the other, never two at once. A clock that is set forward is seen within `longestWait`.
 */
export class DueClock {
  readonly #options: DueClockOptions
  readonly #clock: Clock
  /** When the timer is to wake, at the latest. */
  #at = Number.POSITIVE_INFINITY
  #cancel = () => {}
  #running: Promise<void> | undefined
  #isRunning = false

  constructor(options: DueClockOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** From now on rows fire. */
  start(): void {
    this.#isRunning = true
    this.#sleep(this.#clock.now())
  }

  /** A row is due at this time, which may be before all others. */
  consider(at: number): void {
    if (this.#isRunning && at < this.#at) this.#sleep(at)
  }

  /** True while what fires now has not ended. */
  get isFiring(): boolean {
    return this.#running !== undefined
  }

  /** Nothing fires any more; resolves when what fires now has ended. */
  async stop(): Promise<void> {
    this.#isRunning = false
    this.#cancel()
    await this.#running
  }

  #sleep(at: number): void {
    this.#at = at
    this.#cancel()
    const wait = Math.min(Math.max(at - this.#clock.now(), 0), this.#clock.longestWait)
    this.#cancel = this.#clock.wait(wait, () => this.#wake())
  }

  /** What a row that is considered while rows fire leaves in `#at` is asked for after them. */
  #wake(): void {
    if (this.#running !== undefined) return
    this.#running = this.#run().finally(() => {
      this.#running = undefined
    })
  }

  async #run(): Promise<void> {
    const {what, log} = this.#options
    try {
      await this.#fireAll()
    } catch (error) {
      if (isProblem(error, "stopping")) return
      log.error(`${what} did not fire: ${messageOf(error)}; next try in a second`, {error})
      if (this.#isRunning) this.#sleep(this.#clock.now() + pauseAfterFailure)
    }
  }

  async #fireAll(): Promise<void> {
    const {next, fire} = this.#options
    let fired = Number.NEGATIVE_INFINITY
    while (this.#isRunning) {
      this.#at = Number.POSITIVE_INFINITY
      const at = await next()
      const now = this.#clock.now()
      if (at !== undefined && at <= now) {
        await fire(now)
        fired = now
        continue
      }
      const earliest = Math.min(at ?? Number.POSITIVE_INFINITY, this.#at)
      if (this.#isRunning && earliest !== Number.POSITIVE_INFINITY)
        this.#sleep(Math.max(earliest, fired + this.#clock.togetherFor))
      return
    }
  }
}
