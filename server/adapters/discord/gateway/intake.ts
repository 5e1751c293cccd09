import {setTimeout as sleep} from "node:timers/promises"
import {type Endpoint, type Incoming, Problem, pauseAfter} from "../../../../shared/sdk/sdk.ts"
import type {Dispatch} from "./gateway.ts"
import {type Session, toCursor} from "./session.ts"

/** The Satori events for an event of the gateway. */
export interface Translated {
  readonly events: readonly Incoming[]
  /** Called once the events are stored. */
  readonly stored?: () => void
}

export type Translate = (dispatch: Dispatch, session: Session) => Translated

const leftOut = () => new Error(`more than ${mostWaiting} events are waiting to be stored`)

export interface IntakeOptions {
  readonly endpoint: Endpoint
  readonly translate: Translate
}

/** The most events in one batch. If more are waiting, the next batch follows after a rest. */
const mostAtOnce = 20

/**
 * A rest lasts as long as storing the batch before it, but at most this many milliseconds. Other endpoints run in it.
 */
const longestRest = 50

/**
 * The most events that may wait to be stored. Beyond that the connection ends, and Discord sends the rest to the next
 * one.
 */
const mostWaiting = 5000

/** The pause between two attempts to store while ingress is paused, in milliseconds. */
const pausedFor = 2000

/** How often to store a cursor that only skipped events have moved, in milliseconds. */
const restingAfter = 30_000

const again = {first: 200, longest: 10_000} as const

/** Stores the gateway's events in order, and with each batch the cursor after it. */
export class Intake {
  readonly #options: IntakeOptions
  readonly #waiting: Dispatch[] = []
  #running: Promise<void> | undefined
  /** The session, with the sequence of the last event that is no longer waiting. */
  #session: Session | undefined
  /** Whether the cursor is stored. The cursor of a new session must be stored before any later event. */
  #place: "stored" | "passed" | "new" = "stored"
  #isEnded = false
  /** When the first event that found no room arrived, by `performance.now()`. */
  #leftOutAt: number | undefined

  constructor(options: IntakeOptions) {
    this.#options = options
    const timer = setInterval(() => this.#run(), restingAfter)
    options.endpoint.defer(() => clearInterval(timer))
  }

  /** Starts to store. A new session is stored first, so that it can be resumed whatever happens. */
  async begin(session: Session, isNew: boolean): Promise<void> {
    const {endpoint} = this.#options
    if (isNew) {
      this.#place = "new"
      await endpoint.receive([], {cursor: toCursor(session)}).then(
        () => {
          this.#place = "stored"
        },
        error => endpoint.log.warn("could not store the new session yet", {error}),
      )
    }
    this.#session = session
    this.#run()
  }

  push(dispatch: Dispatch): void {
    if (this.#leftOutAt !== undefined) return
    if (this.#waiting.length < mostWaiting) this.#waiting.push(dispatch)
    else this.#leftOutAt = dispatch.at
    this.#run()
  }

  /** When the oldest event that is not stored arrived, by `performance.now()`. */
  get oldest(): number {
    return this.#waiting[0]?.at ?? this.#leftOutAt ?? Number.POSITIVE_INFINITY
  }

  /** Resolves once no event is waiting. Throws if an event found no room. */
  async drained(): Promise<void> {
    await this.#running
    if (this.#leftOutAt !== undefined) throw leftOut()
  }

  #run(): void {
    if (this.#session === undefined || this.#running !== undefined || this.#isEnded) return
    const {log} = this.#options.endpoint
    this.#running = this.#storeAll()
      .catch(error => {
        this.#isEnded = true
        log.debug(`no further events of this connection will be stored: ${error instanceof Error ? error.message : ""}`)
      })
      .finally(() => {
        this.#running = undefined
        if (this.#waiting.length > 0) this.#run()
      })
  }

  /** The cursor is stored with events, or alone if the connection is idle. */
  async #storeAll(): Promise<void> {
    if (this.#place === "new" || (this.#place === "passed" && this.#waiting.length === 0)) await this.#receive([])
    while (this.#waiting.length > 0) await this.#storeSome()
    if (this.#leftOutAt !== undefined) await this.#endFull()
  }

  async #storeSome(): Promise<void> {
    const begun = performance.now()
    await this.#store(this.#waiting.slice(0, mostAtOnce))
    const rest = Math.min(performance.now() - begun, longestRest)
    if (this.#waiting.length > 0) await sleep(rest, undefined, {signal: this.#options.endpoint.signal})
  }

  /** Stores the cursor after the last event that had room: the next connection resumes there. */
  async #endFull(): Promise<void> {
    if (this.#place === "passed") await this.#receive([])
    this.#isEnded = true
    this.#options.endpoint.lost(leftOut())
  }

  async #store(batch: readonly Dispatch[]): Promise<void> {
    const all = batch.map(dispatch => this.#translate(dispatch))
    const events = all.flatMap(each => each.events)
    const before = this.#session
    const {sequence} = batch.at(-1) ?? {}
    if (before !== undefined && sequence !== undefined) this.#session = {...before, sequence}
    const isTaken = events.length === 0 || (await this.#receive(events))
    if (!isTaken && batch.length > 1) {
      this.#session = before
      for (const each of batch) await this.#store([each])
      return
    }
    if (events.length === 0) this.#place = "passed"
    if (isTaken) for (const {stored} of all) stored?.()
    this.#waiting.splice(0, batch.length)
  }

  /** Stores events and the cursor. Returns false if an event is invalid. Throws if the Host accepts no more events. */
  async #receive(events: readonly Incoming[]): Promise<boolean> {
    const {endpoint} = this.#options
    const cursor = this.#session === undefined ? {} : {cursor: toCursor(this.#session)}
    for (let attempts = 1; ; attempts++) {
      try {
        await endpoint.receive(events, cursor)
        this.#place = "stored"
        return true
      } catch (error) {
        const code = error instanceof Problem ? error.code : undefined
        if (code === "admission_closed") throw error
        if (code === "event_invalid") {
          endpoint.log.error("dropped an event from Discord that cannot be stored", {error})
          return false
        }
        if (code !== "ingress_paused") endpoint.log.warn("could not store an event; retrying", {error})
        const wait = code === "ingress_paused" ? pausedFor : pauseAfter(attempts, again)
        await sleep(wait, undefined, {signal: endpoint.signal})
      }
    }
  }

  #translate(dispatch: Dispatch): Translated {
    try {
      return this.#session === undefined ? {events: []} : this.#options.translate(dispatch, this.#session)
    } catch (error) {
      this.#options.endpoint.log.error(`could not read a Discord event (${dispatch.name})`, {error})
      return {events: []}
    }
  }
}
