import {setTimeout as sleep} from "node:timers/promises"
import {type Endpoint, type Incoming, isProblem} from "../../../shared/sdk/sdk.ts"

/** The most events that wait for the Host, and the most in one batch. */
const most = {waiting: 5000, batch: 100} as const

/** The pause between two attempts to store while ingress is paused, in milliseconds. */
const pausedFor = 1000

interface Waiting {
  /** Undefined for events that the Host does not accept. */
  readonly event: Incoming | undefined
  readonly sn: number | undefined
}

type IntakeEndpoint = Pick<Endpoint, "receive" | "lost" | "log" | "signal">

/** The place to resume: the server, and the last event. */
interface Cursor {
  readonly url: string
  readonly sn: number
}

/** Returns the `sn` of a stored cursor; undefined if it belongs to another server. */
export const snOfCursor = (cursor: string | undefined, url: string): number | undefined => {
  if (cursor === undefined) return undefined
  // Only `Intake` writes it.
  const stored: Cursor = JSON.parse(cursor)
  return stored.url === url ? stored.sn : undefined
}

/**
 * Delivers events to the Host in order, with the number of the last one, after which the next connection resumes. Only
 * stored events move that number: if the queue is full, the next connection fetches the rest.
 */
export class Intake {
  readonly #endpoint: IntakeEndpoint
  readonly #url: string
  #sn: number | undefined
  /** Whether this connection has delivered a numbered event. */
  #isNumbered = false
  #waiting: Waiting[] = []
  #isFull = false
  #isOpen = false
  #isStoring = false

  constructor(endpoint: IntakeEndpoint, {url, sn}: {readonly url: string; readonly sn: number | undefined}) {
    this.#endpoint = endpoint
    this.#url = url
    this.#sn = sn
  }

  add(event: Incoming | undefined, sn: number | undefined): void {
    if (this.#isFull) return
    this.#waiting.push({event, sn})
    this.#isFull = this.#waiting.length >= most.waiting
    if (this.#isOpen) this.#store()
  }

  /** Starts to store events. */
  open(): void {
    this.#isOpen = true
    this.#store()
  }

  #store(): void {
    if (this.#isStoring) return
    this.#storeAll().catch(error => {
      // Later events are left to the next connection.
      this.#isFull = true
      const isClosed = this.#endpoint.signal.aborted || isProblem(error, "admission_closed")
      if (!isClosed) this.#endpoint.lost(error)
    })
  }

  async #storeAll(): Promise<void> {
    this.#isStoring = true
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.slice(0, most.batch)
        await this.#insist(batch)
        this.#waiting = this.#waiting.slice(batch.length)
      }
    } finally {
      this.#isStoring = false
    }
    if (this.#isFull)
      throw new Error(`more than ${most.waiting} events were waiting; resuming after the last stored one`)
  }

  /** Retries while ingress is paused. */
  async #insist(batch: readonly Waiting[]): Promise<void> {
    for (;;) {
      try {
        return await this.#storeBatch(batch)
      } catch (error) {
        if (!isProblem(error, "ingress_paused")) throw error
        await sleep(pausedFor, undefined, {signal: this.#endpoint.signal})
      }
    }
  }

  /** Stores a batch. An invalid event is dropped, and the others are stored. */
  async #storeBatch(batch: readonly Waiting[]): Promise<void> {
    const events = batch.flatMap(({event}) => event ?? [])
    const sn = batch.reduce(this.#after, this.#sn)
    if (events.length === 0 && sn === this.#sn) return
    try {
      await this.#endpoint.receive(events, sn === undefined ? {} : {cursor: this.#cursorAt(sn)})
      this.#moveTo(batch, sn)
    } catch (error) {
      if (!isProblem(error, "event_invalid")) throw error
      if (batch.length > 1) {
        for (const each of batch) await this.#storeBatch([each])
        return
      }
      this.#endpoint.log.warn(`dropped an event of the server: ${error.message}`)
      await this.#storeBatch([{event: undefined, sn: batch[0]?.sn}])
    }
  }

  #cursorAt(sn: number): string {
    return JSON.stringify({url: this.#url, sn} satisfies Cursor)
  }

  /**
   * The first number of a connection may be lower than the last stored one: the server has then restarted its numbers.
   */
  readonly #after = (last: number | undefined, {sn}: Waiting, index: number): number | undefined => {
    if (sn === undefined) return last
    if (last === undefined || (!this.#isNumbered && index === 0)) return sn
    return Math.max(last, sn)
  }

  #moveTo(batch: readonly Waiting[], sn: number | undefined): void {
    if (!this.#isNumbered && this.#sn !== undefined && sn !== undefined && sn < this.#sn)
      this.#endpoint.log.warn(
        `the server has restarted its event numbers: ${sn} came after ${this.#sn}. The events that it kept for this bot are lost`,
      )
    this.#isNumbered ||= batch.some(each => each.sn !== undefined)
    this.#sn = sn
  }
}
