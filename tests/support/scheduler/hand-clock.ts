import type {Clock} from "../../../server/runtime/flow/clock.ts"

/** A clock that tests advance. Waits depend on the time that has passed; `now` can be set independently. */
export class HandClock implements Clock {
  readonly longestWait: number
  readonly togetherFor = 50
  #passed = 0
  #offset: number
  readonly #waits = new Set<{readonly at: number; readonly wake: () => void}>()

  constructor(start: string, longestWait = 30_000) {
    this.longestWait = longestWait
    this.#offset = Date.parse(start)
  }

  now(): number {
    return this.#offset + this.#passed
  }

  elapsed(): number {
    return this.#passed
  }

  wait(milliseconds: number, wake: () => void): () => void {
    // Node and Bun turn a longer time into 1 ms.
    if (!(milliseconds >= 0 && milliseconds < 2 ** 31)) throw new Error(`no timer waits for ${milliseconds} ms`)
    const wait = {at: this.#passed + milliseconds, wake}
    this.#waits.add(wait)
    return () => this.#waits.delete(wait)
  }

  get waiting(): number {
    return this.#waits.size
  }

  /** Sets the clock without letting time pass. */
  set(to: string): void {
    this.#offset = Date.parse(to) - this.#passed
  }

  /** Lets time pass until the clock shows `to`; `settle` finishes what each wake starts. */
  async passTo(to: string, settle: () => Promise<unknown>): Promise<void> {
    const end = Date.parse(to) - this.#offset
    for (;;) {
      const [next] = [...this.#waits].sort((one, other) => one.at - other.at)
      if (next === undefined || next.at > end) break
      this.#passed = Math.max(this.#passed, next.at)
      this.#waits.delete(next)
      next.wake()
      await settle()
    }
    this.#passed = end
  }
}
