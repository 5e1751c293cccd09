import type {Sender} from "../../shared/adapter.ts"
import type {Content, Node} from "../../shared/elements.ts"
import {isElement} from "../../shared/elements.ts"
import type {Log} from "../../shared/log.ts"
import type {Row, Statement} from "../../shared/plugin-database.ts"
import {isProblem, messageOf} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import type {Result} from "../database/engine.ts"
import {persist} from "../database/persist.ts"
import {attempt, longestWait, noPolicy, type Policy, type Timing, usualTiming} from "./delivery.ts"
import {Lanes} from "./lanes.ts"
import {act, type OutboxAction, type OutboxSelection} from "./outbox-actions.ts"
import {claiming, finishing, keyOf, type Lane, laneOf, readNext, settleInterrupted} from "./outbox-rows.ts"
import type {Pace} from "./pace.ts"
import {Paces} from "./paces.ts"

/** A message that is to be sent; its id is the same for every attempt. */
export type OutboxDraft = {
  readonly id: string
  readonly endpoint: string
  readonly channel: string
} & (
  | {readonly kind: "message"; readonly content: readonly Node[]}
  | {readonly kind: "reaction"; readonly content: ReactionContent}
)

export interface ReactionContent {
  readonly message: string
  readonly emoji: string
}

/** Which handler of which event a message came from. */
export interface Origin {
  readonly seq: number
  readonly handler: string
  readonly ordinal: number
  /** Stored before the handler's end; a repetition under the same ordinal is passed over. */
  readonly isEarly?: boolean
}

/** What the outbox asks of endpoints; passed in by the composition root. */
export interface Senders {
  sender(endpoint: string): Sender | undefined
  /** How an endpoint sends; undefined for one that is not there. */
  policy(endpoint: string): Policy | undefined
  /** Hides the values of secrets in what is stored of a failure: a platform may repeat what it was shown. */
  readonly scrub?: (text: string) => string
}

export interface OutboxOptions {
  /** Throws where nothing new may be sent. */
  readonly requireOpen?: () => void
  readonly timing?: Timing
}

const width = 64

export const nodesOf = (content: Content): readonly Node[] =>
  typeof content === "string" || isElement(content) ? [content] : content

/**
 * The durable outbox. A message is stored before it is sent, and its row is `sending` before the platform hears of it:
 * what a crash leaves `sending` is repeated where the platform drops repetitions, else it is `unknown`, by name.
 */
export class Outbox {
  readonly #database: Database
  readonly #log: Log
  readonly #requireOpen: () => void
  readonly #timing: Timing
  readonly #lanes: Lanes<Lane>
  readonly #paces = new Paces<Lane>(lane => this.#push(lane))
  readonly #closing = new AbortController()
  /** Lanes whose endpoint cannot send now, by endpoint. */
  readonly #parked = new Map<string, Map<string, Lane>>()
  /** Lanes whose next message is tried again later; they take no place meanwhile. */
  readonly #resting = new Map<string, ReturnType<typeof setTimeout>>()
  /** Which message of a lane waits until when, by a clock that does not go back. */
  readonly #due = new Map<string, {readonly seq: number; readonly at: number}>()
  #senders: Senders | undefined

  constructor(database: Database, log: Log, {requireOpen = () => {}, timing = usualTiming}: OutboxOptions = {}) {
    this.#database = database
    this.#log = log
    this.#requireOpen = requireOpen
    this.#timing = timing
    this.#lanes = new Lanes(width, lane => this.#send(lane))
  }

  /** Begins with what earlier runs left unsent. Call it once the first generation is committed. */
  async start(senders: Senders): Promise<void> {
    this.#senders = senders
    const unsure = await settleInterrupted(this.#database, endpoint => this.#policy(endpoint), this.#timing)
    for (const {seq, endpoint, state} of unsure) {
      this.#log.warn("a message may have been sent before the Host ended", {outbox: Number(seq), endpoint, state})
    }
    await this.#resume()
  }

  /** The statement that stores a draft, for the batch of the change that it belongs to. */
  insertion(draft: OutboxDraft, origin?: Origin): Statement {
    return {
      sql: `INSERT INTO outbox (id, kind, endpoint, channel, content, created_at, inbox_seq, handler, ordinal, early)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${origin?.isEarly === true ? "ON CONFLICT DO NOTHING" : ""}`,
      args: [
        draft.id,
        draft.kind,
        draft.endpoint,
        draft.channel,
        JSON.stringify(draft.content),
        Date.now(),
        origin?.seq ?? null,
        origin?.handler ?? null,
        origin?.ordinal ?? null,
        origin?.isEarly === true ? 1 : 0,
      ],
    }
  }

  /** Tells that drafts are durable now. */
  stored(drafts: readonly OutboxDraft[]): void {
    for (const {endpoint, channel} of drafts) this.#push({endpoint, channel})
  }

  /** Stores a message that belongs to no event; resolves once it is durable. Throws `ingress_paused`. */
  async enqueue(draft: OutboxDraft): Promise<void> {
    this.#requireOpen()
    await this.#database.write([this.insertion(draft)]).catch(error => this.#orResume(error))
    this.stored([draft])
  }

  /** Resolves to how many messages it was done to. Throws `outbox_unknown`, `outbox_state`. */
  async act(action: OutboxAction, on: OutboxSelection): Promise<number> {
    const touched = await act(this.#database, action, on).catch(error => this.#orResume(error))
    for (const lane of touched) {
      this.#due.delete(keyOf(lane))
      this.#push(lane)
    }
    return touched.length
  }

  /** An endpoint can send from now on. */
  online(endpoint: string): void {
    const parked = this.#parked.get(endpoint)
    this.#parked.delete(endpoint)
    for (const lane of parked?.values() ?? []) this.#push(lane)
  }

  /** Resolves when everything is sent that can be sent now. */
  async settled(): Promise<void> {
    await this.#lanes.settled()
  }

  /** Starts no further send; resolves when those that run have ended. */
  async drain(): Promise<void> {
    this.#closing.abort()
    this.#paces.stop()
    for (const timer of this.#resting.values()) clearTimeout(timer)
    this.#lanes.pause()
    await this.#lanes.settled()
  }

  /** Whatever is queued gets its turn. */
  async #resume(): Promise<void> {
    const lanes = await this.#database.read("SELECT DISTINCT endpoint, channel FROM outbox WHERE state = 'queued'")
    for (const row of lanes) this.#push(laneOf(row))
  }

  /** What failed may be stored all the same, and is sent then. */
  #orResume(error: unknown): never {
    if (isProblem(error, "database_outcome_unknown")) {
      void persist("the outbox", this.#log, () => this.#resume()).catch(() => {})
    }
    throw error
  }

  #push(lane: Lane): void {
    this.#lanes.push(keyOf(lane), lane)
  }

  #policy(endpoint: string): Policy {
    return this.#senders?.policy(endpoint) ?? noPolicy
  }

  /** Sends what is queued for one channel, in order, until nothing is left or its endpoint cannot send. */
  async #send(lane: Lane): Promise<void> {
    try {
      while (!this.#closing.signal.aborted) {
        const row = await persist(`sending to ${lane.endpoint}`, this.#log, () => readNext(this.#database, lane))
        const sender = row && this.#senders?.sender(lane.endpoint)
        if (row === undefined || sender === undefined) return this.#leave(lane, row !== undefined)
        const pause = this.#pauseBefore(row, lane)
        if (pause > 0) return this.#rest(lane, pause)
        const pace = this.#paces.of(lane.endpoint, this.#policy(lane.endpoint).rates)
        if (!pace.ask(keyOf(lane), lane)) return
        await this.#attempt(row, lane, sender, pace)
      }
    } catch (error) {
      this.#leave(lane, false)
      if (!isProblem(error, "stopping"))
        this.#log.error(`sending to ${lane.endpoint} stopped: ${messageOf(error)}`, {error})
    }
  }

  /** Nothing is left to send, or its endpoint cannot send: then it comes back with the endpoint. */
  #leave(lane: Lane, isParked: boolean): void {
    this.#paces.leave(lane.endpoint, keyOf(lane))
    if (!isParked) return
    const parked = this.#parked.get(lane.endpoint) ?? new Map<string, Lane>()
    this.#parked.set(lane.endpoint, parked.set(lane.channel, lane))
  }

  /** The time of an earlier run is the clock's, and is believed once; from then on the clock may be set as it likes. */
  #pauseBefore(row: Row, lane: Lane): number {
    const key = keyOf(lane)
    const seq = Number(row.seq)
    const now = performance.now()
    const known = this.#due.get(key)
    if (known?.seq === seq) return known.at - now
    const pause = Math.min(Number(row.not_before) - Date.now(), longestWait)
    if (pause > 0) this.#due.set(key, {seq, at: now + pause})
    return pause
  }

  #rest(lane: Lane, pause: number): void {
    const key = keyOf(lane)
    this.#paces.leave(lane.endpoint, key)
    clearTimeout(this.#resting.get(key))
    const wake = () => {
      this.#resting.delete(key)
      this.#push(lane)
    }
    this.#resting.set(key, setTimeout(wake, Math.ceil(pause)))
  }

  async #attempt(row: Row, lane: Lane, sender: Sender, pace: Pace<Lane>): Promise<void> {
    const seq = Number(row.seq)
    const number = Number(row.attempt) + 1
    this.#due.delete(keyOf(lane))
    const [claimed] = await this.#persist(seq, claiming(seq, number))
    if (claimed?.rows.length !== 1) return pace.leave(keyOf(lane))
    pace.begin(keyOf(lane))
    const policy = this.#policy(lane.endpoint)
    const end = await attempt(row, sender, policy, number - Number(row.spared), this.#timing, this.#senders?.scrub)
    if (end.is === "queued") this.#due.set(keyOf(lane), {seq, at: performance.now() + end.wait})
    if (end.is !== "sent")
      this.#log.warn(`a message was not sent: ${end.error}`, {outbox: seq, attempt: number, state: end.is})
    await this.#persist(seq, finishing(end, seq, number))
  }

  async #persist(seq: number, statement: Statement): Promise<readonly Result[]> {
    return persist(`message ${seq}`, this.#log, () => this.#database.write([statement]))
  }
}
