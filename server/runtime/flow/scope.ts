import {setMaxListeners} from "node:events"
import {messageOf} from "../../../shared/problems.ts"
import {withTimeLimit} from "./time-limit.ts"

/** What a plugin's undo may take, in milliseconds. */
export const pluginUndoLimit = 5000

/**
 * Owns what belongs to one lifetime: everything that is acquired registers its undo on the next line. Disposing runs
 * the undos once, in reverse order; one that fails does not keep the others from running.
 */
export class Scope {
  readonly #abort = new AbortController()
  readonly #undos: (() => unknown)[] = []
  readonly #report: (message: string, error: unknown) => void
  readonly #limit: number | undefined
  #disposed: Promise<void> | undefined

  /** An undo that takes longer than `limit`, in milliseconds, is passed over; without it, each is waited for. */
  constructor(report: (message: string, error: unknown) => void, limit?: number) {
    // Every handler that runs listens, and Node takes more than ten for a leak.
    setMaxListeners(0, this.#abort.signal)
    this.#report = report
    this.#limit = limit
  }

  /** Aborted when the scope is disposed. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** After the scope was disposed, the undo runs at once: what is acquired late does not leak. */
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
