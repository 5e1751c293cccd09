import {toJson} from "../../shared/json.ts"
import type {RateLimit} from "../../shared/sdk/adapter/sender.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"

/** A sliding window: at most `messages` sends begin within any `per` milliseconds of one monotonic clock. */
export class Rate {
  readonly #limits: readonly RateLimit[]
  readonly #most: number
  /** When the newest sends began, oldest first. */
  #begun: number[] = []

  constructor(limits: readonly RateLimit[]) {
    this.#limits = limits
    this.#most = Math.max(0, ...limits.map(({messages}) => messages))
  }

  /** Returns the milliseconds until a send may begin beside `promised` others; Infinity if those fill a limit. */
  wait(now: number, promised = 0): number {
    return Math.max(0, ...this.#limits.map(limit => this.#waitFor(limit, now, promised)))
  }

  begin(now: number): void {
    if (this.#most === 0) return
    this.#begun.push(now)
    if (this.#begun.length > 2 * this.#most) this.#begun = this.#begun.slice(-this.#most)
  }

  #waitFor({messages, per}: RateLimit, now: number, promised: number): number {
    const free = messages - promised
    if (free <= 0) return Number.POSITIVE_INFINITY
    const before = this.#begun[this.#begun.length - free]
    return before === undefined ? 0 : before + per - now
  }
}

/** The turns of one endpoint. An item that asks when the limit is used up is woken later, in the order of asking. */
export class Pace<T> {
  readonly #rate: Rate
  readonly #wake: (item: T) => void
  readonly #waiting = new Map<string, T>()
  /** Items whose turn it is and that have not begun. Each keeps its turn. */
  readonly #promised = new Set<string>()
  readonly #clock: Clock
  #callOff = () => {}

  constructor(limits: readonly RateLimit[], wake: (item: T) => void, clock: Clock = systemClock) {
    this.#rate = new Rate(limits)
    this.#wake = wake
    this.#clock = clock
  }

  /** Returns true if it is the item's turn, kept until `begin` or `leave`. Otherwise wakes the item later. */
  ask(key: string, item: T): boolean {
    if (this.#promised.has(key)) return true
    const isFree = this.#waiting.size === 0 && this.#rate.wait(this.#clock.elapsed(), this.#promised.size) <= 0
    if (isFree) this.#promised.add(key)
    else this.#waiting.set(key, item)
    this.#advance()
    return isFree
  }

  /** The send of this key begins now. */
  begin(key: string): void {
    this.#promised.delete(key)
    this.#rate.begin(this.#clock.elapsed())
    this.#advance()
  }

  /** The item of this key does not send after all. */
  leave(key: string): void {
    this.#waiting.delete(key)
    if (this.#promised.delete(key)) this.#advance()
  }

  /** Wakes nobody any more. Returns the waiting items. */
  stop(): readonly T[] {
    this.#callOff()
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    return waiting
  }

  #advance(): void {
    this.#callOff()
    for (const [key, item] of this.#waiting) {
      const wait = this.#rate.wait(this.#clock.elapsed(), this.#promised.size)
      if (wait > 0) {
        if (Number.isFinite(wait)) this.#callOff = this.#clock.wait(Math.ceil(wait), () => this.#advance())
        return
      }
      this.#waiting.delete(key)
      this.#promised.add(key)
      this.#wake(item)
    }
  }
}

/** The turns of all endpoints, each with its own limits. An endpoint whose limits change starts counting from zero. */
export class Paces<T> {
  readonly #wake: (item: T) => void
  readonly #clock: Clock
  readonly #byEndpoint = new Map<string, {readonly limits: string; readonly pace: Pace<T>}>()

  constructor(wake: (item: T) => void, clock: Clock = systemClock) {
    this.#wake = wake
    this.#clock = clock
  }

  of(endpoint: string, limits: readonly RateLimit[]): Pace<T> {
    const known = this.#byEndpoint.get(endpoint)
    const text = toJson(limits)
    if (known?.limits === text) return known.pace
    const pace = new Pace(limits, this.#wake, this.#clock)
    this.#byEndpoint.set(endpoint, {limits: text, pace})
    for (const item of known?.pace.stop() ?? []) this.#wake(item)
    return pace
  }

  /** The item of this key does not send at this endpoint now. */
  leave(endpoint: string, key: string): void {
    this.#byEndpoint.get(endpoint)?.pace.leave(key)
  }

  stop(): void {
    for (const {pace} of this.#byEndpoint.values()) pace.stop()
  }
}
