import type {Log} from "../../shared/log.ts"
import type {DatedIncoming} from "../../shared/sdk/adapter/incoming.ts"
import {Backfill, type BackfillOptions, type Filled} from "./backfill.ts"

export interface BackfillsOptions extends Omit<BackfillOptions, "log" | "signal" | "store"> {
  log(): Log
  /** Stores events of the connection in one batch. Throws if none may come in now. */
  store(events: readonly DatedIncoming[], connection: AbortSignal): Promise<void>
}

/** The backfills of one endpoint, one for each connection in turn. New events wait for them. */
export class Backfills {
  readonly #options: BackfillsOptions
  #last: Backfill | undefined

  constructor(options: BackfillsOptions) {
    this.#options = options
  }

  /** New events wait from now on until a backfill of this connection, or their channel's part of it, has ended. */
  hold(signal: AbortSignal): Backfill {
    const {store, log, ...options} = this.#options
    this.#last = new Backfill({...options, log: log(), signal, store: events => store(events, signal)})
    return this.#last
  }

  /** Resolves once new events of these channels may be stored, even if another backfill replaces the first. */
  async turn(channels: readonly string[]): Promise<void> {
    let waited: Backfill | undefined
    while (this.#last !== undefined && this.#last !== waited) {
      waited = this.#last
      await waited.turn(channels)
    }
  }

  /** True if new events need not wait. */
  get isOpen(): boolean {
    return this.#last === undefined
  }

  /** Fetches missed messages. Resolves to the outcome; undefined if the connection or the admission ended before. */
  async run(history: Parameters<Backfill["run"]>[0], connection: AbortSignal): Promise<Filled | undefined> {
    const before = this.#last
    const backfill = before?.isWaiting === true ? before : this.hold(connection)
    // Events that waited for the earlier one wait for this one now.
    if (before !== backfill) before?.end()
    const filled = await backfill.run(history)
    if (this.#last === backfill) this.#last = undefined
    return filled
  }

  /** Ends the wait, since nothing is missing. */
  skip(): void {
    this.#last?.end()
    this.#last = undefined
  }

  /** Ends the wait, since nothing can be fetched. The gap ends as `partly`. */
  async giveUp(): Promise<Filled> {
    await this.#options.spoil()
    this.#last?.end()
    return "partly"
  }
}
