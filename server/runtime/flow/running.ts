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

  /** Resolves to true once no work runs, also none that starts meanwhile; to false after `limit` milliseconds. */
  async ends(limit?: number): Promise<boolean> {
    const drain = async (signal?: AbortSignal) => {
      while (this.#all.size > 0 && signal?.aborted !== true) {
        await Promise.allSettled(this.#all)
        await turn()
      }
    }
    if (this.#all.size > 0) await (limit === undefined ? drain() : withTimeLimit(limit, drain).catch(() => {}))
    return this.#all.size === 0
  }
}
