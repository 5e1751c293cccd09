import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import {startEnded} from "../runtime/flow/starting.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Exit} from "./host.ts"

/** The time of all stops with a limit together, in milliseconds. The rest of the ten seconds is for the others. */
export const stopLimit = 8000

interface Ending {
  readonly name: string
  /** The time limit of the stop, in milliseconds. After it, the next part stops while this one continues. */
  readonly limit?: number
  /** The log line if the stop exceeds its limit. */
  readonly late?: string
  /** Begins to stop before all other parts, and is awaited in its turn. */
  readonly early?: boolean
}

/** A part of a Host that its `start` creates. */
export interface Part<T> extends Ending {
  readonly start: () => T | Promise<T>
  readonly stop?: (exit: Exit, part: T) => unknown
}

/** Starts or stops a part that already exists. A part has two rows if others start between its start and its stop. */
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

/** The parts of a Host in the order of their start. They stop in the opposite order, also after half a start. */
export class Parts {
  readonly #log: Log
  readonly #signal: AbortSignal
  readonly #started: Started[] = []

  /** `signal` aborts the start. */
  constructor(log: Log, signal: AbortSignal) {
    this.#log = log
    this.#signal = signal
  }

  /** Starts a part; resolves to what its `start` creates. Throws what `start` throws. */
  async start<T>({start, stop, ...ending}: Part<T>): Promise<T> {
    const part = await start()
    if (stop !== undefined) this.add({...ending, stop: exit => stop(exit, part)})
    return part
  }

  /** Starts the rows one after another. Throws what a start throws; the remaining rows are not started. */
  async startAll(rows: readonly Row[]): Promise<void> {
    for (const {start, stop, ...ending} of rows) {
      if (start !== undefined) this.#log.debug(`starting ${ending.name}`)
      await start?.()
      if (stop !== undefined) this.add({...ending, stop})
    }
  }

  /** Throws `stopping` once the start was aborted. */
  requireRunning(): void {
    if (this.#signal.aborted) throw startEnded()
  }

  /** Adds a stop for something that needs no start. */
  add({name, stop, limit, late, early = false}: Required<Pick<Row, "stop">> & Omit<Row, "start">): void {
    this.#started.push({name, limit, late, early, stop: async exit => stop(exit)})
  }

  /**
   * Stops the started parts, the last one first. Never rejects: a part that fails to stop is logged. After `within`
   * milliseconds, stops with a limit are no longer awaited.
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
