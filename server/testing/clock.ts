import type {Clock} from "../runtime/flow/clock.ts"

interface Wait {
  readonly at: number
  readonly wake: () => void
}

/** A time in a test: a Date, milliseconds since 1970, or text that `Date.parse` reads. */
export type Time = Date | number | string

/** How far to move a clock: seconds, or the sum of these. */
export type Span =
  | number
  | {readonly days?: number; readonly hours?: number; readonly minutes?: number; readonly seconds?: number}

const units = {days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000} as const

/** The end of the year 9999: later times have another ISO format. */
const latest = 253_402_300_799_999

/** Returns a time in milliseconds since 1970. Throws a `TypeError` for an invalid time. */
export const readTime = (what: string, time: Time): number => {
  const at = typeof time === "string" ? Date.parse(time) : Number(time)
  if (Number.isFinite(at) && at >= 0 && at <= latest) return Math.round(at)
  throw new TypeError(
    `${what} must be a Date, milliseconds since 1970, or text such as "2026-03-01T09:00:00Z", not ${String(time)}`,
  )
}

/** Returns a span in milliseconds. Throws a `TypeError` for an invalid or negative span. */
export const readSpan = (span: Span): number => {
  const parts: unknown = typeof span === "number" ? {seconds: span} : span
  const entries = typeof parts === "object" && parts !== null ? Object.entries(parts) : []
  const unknown = entries.find(([unit]) => !Object.hasOwn(units, unit))
  if (unknown !== undefined)
    throw new TypeError(`bot.clock.advance() knows days, hours, minutes and seconds, not ${unknown[0]}`)
  const isValid = entries.every(([, amount]) => typeof amount === "number" && amount >= 0)
  const sum = entries.reduce((whole, [unit, amount]) => whole + units[unit as keyof typeof units] * Number(amount), 0)
  if (entries.length > 0 && isValid && sum <= latest) return Math.round(sum)
  throw new TypeError("bot.clock.advance() needs seconds, or {days, hours, minutes, seconds}, none of them negative")
}

/**
 * @internal A clock that moves only when told to. It wakes immediately due waits in real time. It wakes later ones in the order
 * of their times, each while the clock shows that time.
 */
export class TestClock implements Clock {
  readonly longestWait = Number.POSITIVE_INFINITY
  readonly togetherFor = 0
  readonly #start: number
  #now: number
  readonly #waits = new Set<Wait>()
  #waking = 0

  /** `start` is in milliseconds since 1970. */
  constructor(start: number) {
    this.#start = start
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return this.#now - this.#start
  }

  wait(milliseconds: number, wake: () => void): () => void {
    if (milliseconds <= 0) return this.#wakeSoon(wake)
    const wait = {at: this.#now + milliseconds, wake}
    this.#waits.add(wait)
    return () => this.#waits.delete(wait)
  }

  /** True while something due has not been woken yet. */
  get isWaking(): boolean {
    return this.#waking > 0
  }

  /** When the next wait ends; undefined if nothing waits. */
  get next(): number | undefined {
    return this.#first()?.at
  }

  /** Moves to a time, never back. `settle` finishes what a wake starts; `passed` runs after each step, before it. */
  async moveTo(to: number, settle: () => Promise<void>, passed = async () => {}): Promise<void> {
    await settle()
    for (let wait = this.#first(); wait !== undefined && wait.at <= to; wait = this.#first()) {
      this.#now = Math.max(this.#now, wait.at)
      await passed()
      this.#waits.delete(wait)
      wait.wake()
      await settle()
    }
    this.#now = to
    await passed()
  }

  /** Returns the wait that ends first; among equals, the one that began first. */
  #first(): Wait | undefined {
    let first: Wait | undefined
    for (const wait of this.#waits) if (first === undefined || wait.at < first.at) first = wait
    return first?.at === Number.POSITIVE_INFINITY ? undefined : first
  }

  #wakeSoon(wake: () => void): () => void {
    this.#waking++
    let isOver = false
    const soon = setImmediate(() => {
      end()
      wake()
    })
    const end = () => {
      if (isOver) return
      isOver = true
      this.#waking--
      clearImmediate(soon)
    }
    return end
  }
}
