import type {Clock} from "./clock.ts"

interface Wait {
  readonly at: number
  readonly wake: () => void
}

/**
 * A clock that moves only when told to. It wakes immediately due waits in real time. It wakes later ones in the order
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
