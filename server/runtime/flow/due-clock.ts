import type {Log} from "../../../shared/log.ts"
import {isProblem, messageOf} from "../../../shared/problems.ts"
import {type Clock, systemClock} from "./clock.ts"

/** The pause before a retry after a failure, in milliseconds. */
const pauseAfterFailure = 1000

export interface DueClockOptions {
  /** What falls due, for the log. */
  readonly what: string
  /** Returns the earliest due time of all waiting rows, in milliseconds since 1970; undefined if none waits. */
  readonly next: () => Promise<number | undefined>
  /** Fires the rows that are due at `now`, or the first page of them. */
  readonly fire: (now: number) => Promise<unknown>
  readonly log: Log
  readonly clock?: Clock
}

/**
 * One timer for any number of rows that fall due. It sleeps until the earliest due time, fires, and asks for the next
 * one. Pages of due rows fire one after the other, never two at once. If the clock is set forward, the timer notices
 * within `longestWait`.
 */
export class DueClock {
  readonly #options: DueClockOptions
  readonly #clock: Clock
  /** The latest time at which the timer wakes. */
  #at = Number.POSITIVE_INFINITY
  #cancel = () => {}
  #running: Promise<void> | undefined
  #isRunning = false

  constructor(options: DueClockOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  start(): void {
    this.#isRunning = true
    this.#sleep(this.#clock.now())
  }

  /** Takes a new due time into account, which may be before all others. */
  consider(at: number): void {
    if (this.#isRunning && at < this.#at) this.#sleep(at)
  }

  get isFiring(): boolean {
    return this.#running !== undefined
  }

  /** Stops firing. Resolves when the firing in progress has ended. */
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

  /** A due time that `consider` reports during a firing stays in `#at`, and is handled after the firing. */
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
      log.error(`${what} did not fire: ${messageOf(error)}; retrying in 1 s`, {error})
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
