import type {Log} from "../../shared/log.ts"
import type {DatedIncoming} from "../../shared/sdk/adapter/incoming.ts"
import {Backfill, type BackfillOptions, type Filled} from "./backfill.ts"

export interface BackfillsOptions extends Omit<BackfillOptions, "log" | "signal" | "store"> {
  log(): Log
  /** Stores events of the connection in one batch; throws where none may come in now. */
  store(events: readonly DatedIncoming[], connection: AbortSignal): Promise<void>
}

/** The backfills of one endpoint, one connection after the other: what new events wait for. */
export class Backfills {
  readonly #options: BackfillsOptions
  #last: Backfill | undefined

  constructor(options: BackfillsOptions) {
    this.#options = options
  }

  /** From now on new events wait until a backfill of this connection has ended, or their channel's part of it. */
  hold(signal: AbortSignal): Backfill {
    const {store, log, ...options} = this.#options
    this.#last = new Backfill({...options, log: log(), signal, store: events => store(events, signal)})
    return this.#last
  }

  /** Resolves once new events of these channels may be stored, also where another backfill takes the place of the first. */
  async turn(channels: readonly string[]): Promise<void> {
    let waited: Backfill | undefined
    while (this.#last !== undefined && this.#last !== waited) {
      waited = this.#last
      await waited.turn(channels)
    }
  }

  /** Does nothing keep new events waiting? */
  get isOpen(): boolean {
    return this.#last === undefined
  }

  /** Fetches what was missed; resolves to how that ended, to undefined where the connection or the admission ended before. */
  async run(history: Parameters<Backfill["run"]>[0], connection: AbortSignal): Promise<Filled | undefined> {
    const before = this.#last
    const backfill = before?.isWaiting === true ? before : this.hold(connection)
    // What waited for it waits for this one now.
    if (before !== backfill) before?.end()
    const filled = await backfill.run(history)
    if (this.#last === backfill) this.#last = undefined
    return filled
  }

  /** Nothing is missing: what waits is let in. */
  skip(): void {
    this.#last?.end()
    this.#last = undefined
  }

  /** Nothing can be fetched: the gap ends as `partly`, and what waits is let in. */
  async giveUp(): Promise<Filled> {
    await this.#options.spoil()
    this.#last?.end()
    return "partly"
  }
}
