import {setImmediate as turn} from "node:timers/promises"
import {withTimeLimit} from "./time-limit.ts"

/** Work that runs, for an end that waits for it. */
export class Running {
  readonly #all = new Set<Promise<unknown>>()

  async add<T>(work: () => Promise<T>): Promise<T> {
    const running = work()
    this.#all.add(running)
    return running.finally(() => this.#all.delete(running))
  }

  /**
   * Resolves to true once no work runs, also none that starts meanwhile; to false after `limit` milliseconds. Of a time
   * in which the event loop is blocked, a tenth of the limit counts at most: the work could not go on.
   */
  async ends(limit?: number): Promise<boolean> {
    const drained = this.#drain()
    if (limit === undefined) return drained
    for (let step = 0; step < 10 && this.#all.size > 0; step++)
      await withTimeLimit(limit / 10, () => drained).catch(() => {})
    return this.#all.size === 0
  }

  async #drain(): Promise<true> {
    while (this.#all.size > 0) {
      await Promise.allSettled(this.#all)
      await turn()
    }
    return true
  }
}
