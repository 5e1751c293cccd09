import {setTimeout as sleep} from "node:timers/promises"
import {type DatedIncoming, type Endpoint, Problem} from "../../../../shared/sdk/sdk.ts"
import {type Position, type Positions, readPositions, writePositions} from "./cursor.ts"

/** The events of one stanza. Without events it only moves the position. */
export interface Arrival {
  readonly events: readonly DatedIncoming[]
  /** The position in its archive after it, if it is in one. */
  readonly place?: {readonly archive: string} & Position
}

/**
 * The largest batch, the most arrivals that wait, and the pause between two attempts while ingress is paused, in
 * milliseconds.
 */
const batchSize = 50
const mostWaiting = 1000
const pauseBetween = 2000

/** Stores arrivals in order, together with the positions of the archives. */
export class Intake {
  readonly #endpoint: Endpoint<DatedIncoming>
  readonly #positions: Map<string, Position>
  readonly #waiting: {readonly arrival: Arrival; readonly done: () => void}[] = []
  #isRunning = false

  /** Starts from the endpoint's cursor. Drops positions of archives that are no longer configured. */
  constructor(endpoint: Endpoint<DatedIncoming>, archives: ReadonlySet<string>) {
    this.#endpoint = endpoint
    this.#positions = new Map([...readPositions(endpoint.cursor)].filter(([archive]) => archives.has(archive)))
  }

  positionOf(archive: string): Position | undefined {
    return this.#positions.get(archive)
  }

  /** Whether there is no room for more arrivals. Archived messages are then read later. */
  get isFull(): boolean {
    return this.#waiting.length >= mostWaiting
  }

  /**
   * Resolves once the arrival is stored; never if the endpoint closes first. If there is no room, an arrival without an
   * archive is dropped with a log line.
   */
  add(arrival: Arrival): Promise<void> {
    if (this.isFull && arrival.place === undefined) {
      const types = arrival.events.map(({type}) => type).join(", ")
      this.#endpoint.log.warn(
        `dropped ${types}: ${mostWaiting} events are already waiting, and no archive has this one`,
      )
      return Promise.resolve()
    }
    return new Promise(resolve => {
      this.#waiting.push({arrival, done: resolve})
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      while (this.#waiting.length > 0 && !this.#endpoint.signal.aborted) {
        const batch = this.#waiting.slice(0, batchSize)
        await this.#store(batch.map(({arrival}) => arrival))
        this.#waiting.splice(0, batch.length)
        for (const {done} of batch) done()
      }
    } catch (error) {
      // The next connection resumes after the last stored message.
      if (!this.#endpoint.signal.aborted) this.#endpoint.lost(error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.#isRunning = false
    }
  }

  async #store(batch: readonly Arrival[]): Promise<void> {
    const events = batch.flatMap(arrival => arrival.events)
    const positions = new Map(this.#positions)
    for (const {place} of batch) if (place !== undefined) positions.set(place.archive, {id: place.id, at: place.at})
    for (;;) {
      try {
        if (events.length > 0 || batch.some(({place}) => place !== undefined)) await this.#receive(events, positions)
        break
      } catch (error) {
        const code = error instanceof Problem ? error.code : undefined
        if (code === "event_invalid" && batch.length > 1) {
          for (const each of batch) await this.#store([each])
          return
        }
        if (code === "event_invalid" && events.length > 0) {
          this.#endpoint.log.error("could not store a message: the Host rejected it", {error})
          return this.#store(batch.map(arrival => ({...arrival, events: []})))
        }
        // An endpoint that is about to close admits no events, but still sends.
        if (code !== "ingress_paused" && code !== "admission_closed") throw error
        await sleep(pauseBetween, undefined, {signal: this.#endpoint.signal})
      }
    }
    for (const [archive, position] of positions) this.#positions.set(archive, position)
  }

  #receive(events: readonly DatedIncoming[], positions: Positions): Promise<unknown> {
    return this.#endpoint.receive(events, {cursor: writePositions(positions)})
  }
}
