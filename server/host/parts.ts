import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import {startEnded} from "../runtime/flow/starting.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Exit} from "./host.ts"

/** All stops that have a limit get this long together, in milliseconds; the rest of ten seconds is for what has none. */
export const stopLimit = 8000

interface Ending {
  readonly name: string
  /** What the stop may take, in milliseconds: then the next part stops, while this one goes on. */
  readonly limit?: number
  /** What the log says where the stop takes longer. */
  readonly late?: string
  /** Begins to stop before everything else, and is waited for in its turn. */
  readonly early?: boolean
}

/** One part of a Host, which its start makes. */
export interface Part<T> extends Ending {
  readonly start: () => T | Promise<T>
  readonly stop?: (exit: Exit, part: T) => unknown
}

/** What starts or stops a part that is made already. A part has two rows where others start between its own start and stop. */
export interface Row extends Ending {
  readonly start?: () => unknown
  readonly stop?: (exit: Exit) => unknown
}

interface Started {
  readonly name: string
  readonly limit: number | undefined
  readonly late: string | undefined
  readonly early: boolean
  stop(exit: Exit): Promise<unknown>
}

/**
 * The parts of a Host, in the order in which they start. The opposite order stops them, at the end of a run and after a start
 * that failed half way.
 */
export class Parts {
  readonly #log: Log
  readonly #signal: AbortSignal
  readonly #started: Started[] = []

  /** `signal` ends the start. */
  constructor(log: Log, signal: AbortSignal) {
    this.#log = log
    this.#signal = signal
  }

  /** Starts a part; resolves to what its `start` makes. Throws what it throws. */
  async start<T>({start, stop, ...ending}: Part<T>): Promise<T> {
    const part = await start()
    if (stop !== undefined) this.add({...ending, stop: exit => stop(exit, part)})
    return part
  }

  /** Starts one row after the other. Throws what a start throws; the rows after it are left out. */
  async startAll(rows: readonly Row[]): Promise<void> {
    for (const {start, stop, ...ending} of rows) {
      await start?.()
      if (stop !== undefined) this.add({...ending, stop})
    }
  }

  /** Throws `stopping` once the start has been ended. */
  requireRunning(): void {
    if (this.#signal.aborted) throw startEnded()
  }

  /** What needs no start, only a stop. */
  add({name, stop, limit, late, early = false}: Required<Pick<Row, "stop">> & Omit<Row, "start">): void {
    this.#started.push({name, limit, late, early, stop: async exit => stop(exit)})
  }

  /**
   * Stops what has started, the last part first. Never rejects: a part that fails to stop is logged. After `within`
   * milliseconds no stop that has a limit is waited for any more.
   */
  async stop(exit: Exit, within = stopLimit): Promise<void> {
    const end = performance.now() + within
    const parts = this.#started.splice(0).reverse()
    const stopping = new Map(parts.filter(({early}) => early).map(part => [part, this.#begin(part, exit)]))
    for (const part of parts) await this.#end(part, stopping.get(part) ?? this.#begin(part, exit), end)
  }

  #begin(part: Started, exit: Exit): Promise<unknown> {
    return part
      .stop(exit)
      .catch(error => this.#log.error(`${part.name} did not stop cleanly: ${messageOf(error)}`, {error}))
  }

  async #end({name, limit, late}: Started, stopped: Promise<unknown>, end: number): Promise<void> {
    if (limit === undefined) return void (await stopped)
    const own = Math.min(limit, Math.max(0, end - performance.now()))
    await withTimeLimit(own, () => stopped).catch(() => {
      if (late === undefined) this.#log.debug(`${name} did not stop within ${Math.round(own)} ms`)
      else this.#log.warn(late)
    })
  }
}
