import {setTimeout as sleep} from "node:timers/promises"
import {type Endpoint, type Incoming, Problem, pauseAfter} from "../../../../shared/sdk/sdk.ts"
import type {Dispatch} from "./gateway.ts"
import {type Session, toCursor} from "./session.ts"

/** What becomes of an event of the gateway. */
export interface Translated {
  readonly events: readonly Incoming[]
  /** Done once they are stored. */
  readonly stored?: () => void
}

export type Translate = (dispatch: Dispatch, session: Session) => Translated

const leftOut = () => new Error(`more than ${mostWaiting} events are waiting to be stored`)

export interface IntakeOptions {
  readonly endpoint: Endpoint
  readonly translate: Translate
}

/** Events that are stored in one batch. While more wait, the next one follows after a rest. */
const mostAtOnce = 20

/** A rest is as long as the storing before it was, and no longer than this, in milliseconds: other endpoints go on in it. */
const longestRest = 50

/** So many events may wait to be stored. Once they are, the connection ends, and Discord sends the next one what followed. */
const mostWaiting = 5000

/** While ingress is paused, storing is tried again after so many milliseconds. */
const pausedFor = 2000

/** A cursor that has moved by events that nobody stores is stored after so many milliseconds. */
const restingAfter = 30_000

const again = {first: 200, longest: 10_000} as const

/** Stores what the gateway sends, in its order, and with each batch the place behind it. */
export class Intake {
  readonly #options: IntakeOptions
  readonly #waiting: Dispatch[] = []
  #running: Promise<void> | undefined
  /** With the sequence of the last event that waits no more. */
  #session: Session | undefined
  /** Is that place stored? That of a new session has to be, before anything behind it. */
  #place: "stored" | "passed" | "new" = "stored"
  #isEnded = false
  /** When the first event came that found no room, by `performance.now()`. */
  #leftOutAt: number | undefined

  constructor(options: IntakeOptions) {
    this.#options = options
    const timer = setInterval(() => this.#run(), restingAfter)
    options.endpoint.defer(() => clearInterval(timer))
  }

  /** Stores from now on. A session that is new is stored at first, so that it can be resumed whatever comes. */
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

  /** When the oldest event came that is not stored, by `performance.now()`. */
  get oldest(): number {
    return this.#waiting[0]?.at ?? this.#leftOutAt ?? Number.POSITIVE_INFINITY
  }

  /** Resolves once nothing waits. Throws where something found no room. */
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

  /** The place is stored with events, and alone where the connection rests. */
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

  /** The place is behind all that had room: the next connection begins there, however little of it was to be stored. */
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

  /** Stores events and the place; false where an event is not valid. Throws where nothing may come in any more. */
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
