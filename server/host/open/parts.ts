import {setImmediate as turn} from "node:timers/promises"
import type {FactReadings} from "../../../shared/attention/alert-facts.ts"
import type {Log} from "../../../shared/log.ts"
import type {Reading} from "../../../shared/metrics/readings.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Route} from "../../../shared/route.ts"
import {startEnded} from "../../runtime/flow/starting.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {Exit, Part} from "../../runtime/part.ts"

/** The time of all stops with a limit together, in milliseconds. The rest of the ten seconds is for the others. */
export const stopLimit = 8000

/** The time that handlers, sends and requests get to finish on shutdown, in milliseconds. */
const drainLimit = 5000

/** A part that its `start` creates. */
export interface Opening<T> extends Pick<Part, "name" | "limit" | "late"> {
  readonly start: () => T | Promise<T>
  readonly close?: (exit: Exit, part: T) => unknown
}

/** The parts of a Host in the order of their start. `Part` says how they start and stop. */
export class Parts {
  readonly #log: Log
  readonly #signal: AbortSignal
  readonly #all: Part[] = []
  /** Those that will be stopped. */
  readonly #running: Part[] = []

  /** `signal` aborts the start. */
  constructor(log: Log, signal: AbortSignal) {
    this.#log = log
    this.#signal = signal
  }

  /** Starts a part; resolves to what its `start` creates. Throws what `start` throws. */
  async open<T>({start, close, ...rest}: Opening<T>): Promise<T> {
    const part = await start()
    if (close !== undefined) this.#running.push({...rest, close: exit => close(exit, part)})
    return part
  }

  /** Adds a part that runs since its creation, and returns it. */
  add<P extends Part>(part: P): P {
    this.#all.push(part)
    this.#running.push(part)
    return part
  }

  /** Starts the parts one after another. Throws what a start throws; the remaining parts are not started. */
  async startAll(parts: readonly Part[]): Promise<void> {
    this.#all.push(...parts)
    for (const part of parts) {
      if (part.start !== undefined) this.#log.debug(`starting ${part.name}`)
      await part.start?.()
      this.#running.push(part)
    }
  }

  /** Throws `stopping` once the start was aborted. */
  requireRunning(): void {
    if (this.#signal.aborted) throw startEnded()
  }

  /** The routes of all parts. Loads their handlers. */
  async routes(): Promise<readonly Route[]> {
    return (await Promise.all(this.#all.map(part => part.routes?.() ?? []))).flat()
  }

  get facts(): FactReadings {
    return Object.assign({}, ...this.#all.map(({facts}) => facts))
  }

  get metrics(): readonly Reading[] {
    return this.#all.flatMap(part => part.metrics ?? [])
  }

  /** Tells all parts which rows of a user were forgotten. */
  async forgotten(...about: Parameters<NonNullable<Part["forgotten"]>>): Promise<void> {
    for (const part of this.#all) await part.forgotten?.(...about)
  }

  isIdle(): boolean {
    return this.#all.every(part => part.isIdle?.() !== false)
  }

  /** Resolves once no part runs handlers, or could before the clock advances. */
  async idle(): Promise<void> {
    do {
      await Promise.all(this.#all.map(part => part.idle?.()))
      await turn()
    } while (!this.isIdle())
  }

  /** Stops the parts, the last first. Never rejects. After `within` milliseconds, awaits only parts without a limit. */
  async stop(exit: Exit, within = stopLimit): Promise<void> {
    const end = performance.now() + within
    const parts = this.#running.splice(0).reverse()
    const stopping = parts.map(part => this.#try(part, () => part.stopTaking?.(exit)))
    await this.#drain(parts)
    for (const [index, part] of parts.entries()) {
      await this.#close(part, stopping[index], exit, end)
    }
  }

  /** All drain at once; each may wait for the parts after it. */
  async #drain(parts: readonly Part[]): Promise<void> {
    let later: Promise<unknown> = Promise.resolve()
    for (const part of parts) {
      const after = later
      later = Promise.all([after, this.#try(part, () => part.drain?.(after))])
    }
    await withTimeLimit(drainLimit, () => later).catch(() =>
      this.#log.warn("handlers, sends or requests were still running; the next start continues with what is stored"),
    )
  }

  async #close(part: Part, stopping: Promise<unknown> | undefined, exit: Exit, end: number): Promise<void> {
    const closed = async () => {
      await stopping
      await this.#try(part, () => part.close?.(exit))
    }
    const {name, limit, late} = part
    if (limit === undefined) return closed()
    const own = Math.min(limit, Math.max(0, end - performance.now()))
    await withTimeLimit(own, closed).catch(() => {
      if (late === undefined) this.#log.debug(`${name} did not stop within ${Math.round(own)} ms`)
      else this.#log.warn(late)
    })
  }

  async #try(part: Part, work: () => unknown): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#log.error(`${part.name} did not stop cleanly: ${messageOf(error)}`, {error})
    }
  }
}
