import {setMaxListeners} from "node:events"
import {messageOf} from "../../../shared/problems.ts"
import {withTimeLimit} from "./time-limit.ts"

/** How long an undo of a plugin may take, in milliseconds. */
export const pluginUndoLimit = 5000

/**
 * Owns everything that was acquired in one lifetime. The line after an acquisition registers its undo. Disposing runs
 * the undos once, in reverse order; a failed undo does not stop the others.
 */
export class Scope {
  readonly #abort = new AbortController()
  readonly #undos: (() => unknown)[] = []
  readonly #report: (message: string, error: unknown) => void
  readonly #limit: number | undefined
  #disposed: Promise<void> | undefined

  /** Disposing skips an undo that takes longer than `limit`, in milliseconds. Without one, it waits for each undo. */
  constructor(report: (message: string, error: unknown) => void, limit?: number) {
    // Every running handler listens, and Node reports more than ten listeners as a leak.
    setMaxListeners(0, this.#abort.signal)
    this.#report = report
    this.#limit = limit
  }

  /** Aborted when the scope is disposed. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Registers an undo. In a disposed scope the undo runs at once, so that late acquisitions do not leak. */
  defer(undo: () => unknown): void {
    if (this.#disposed === undefined) this.#undos.push(undo)
    else void this.#run(undo)
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#unwind()
    return this.#disposed
  }

  async #unwind(): Promise<void> {
    this.#abort.abort()
    for (let undo = this.#undos.pop(); undo !== undefined; undo = this.#undos.pop()) await this.#run(undo)
  }

  async #run(undo: () => unknown): Promise<void> {
    try {
      if (this.#limit === undefined) await undo()
      else await withTimeLimit(this.#limit, undo)
    } catch (error) {
      this.#report(`an undo failed: ${messageOf(error)}`, error)
    }
  }
}
