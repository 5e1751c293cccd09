import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {isProblem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {Gather} from "../database/gather.ts"
import {persist} from "../database/persist.ts"
import {act, type OutboxAction, type OutboxSelection} from "./actions.ts"
import {type Timing, usualTiming} from "./delivery.ts"
import {Departures} from "./departures.ts"
import type {OutboxDraft} from "./draft.ts"
import type {MarkKey} from "./mark-key.ts"
import {type Departure, inserting, laneOf, type NewRow, newRows, readDeparted, settleInterrupted} from "./rows.ts"
import {type Senders, Sends} from "./sends.ts"

export interface OutboxOptions {
  /** Throws where nothing new may be sent. */
  readonly requireOpen?: () => void
  readonly timing?: Timing
}

/**
 * The durable outbox. A message is stored before it is sent, and its row is `sending` before the platform hears of it:
 * what a crash leaves `sending` is repeated where the platform drops repetitions, else it is `unknown`, by name.
 */
export class Outbox {
  readonly #database: Database
  readonly #log: Log
  readonly #requireOpen: () => void
  readonly #timing: Timing
  readonly #sends: Sends
  readonly #departures: Gather<Departure, NewRow | undefined>

  constructor(database: Database, log: Log, {requireOpen = () => {}, timing = usualTiming}: OutboxOptions = {}) {
    this.#database = database
    this.#log = log
    this.#requireOpen = requireOpen
    this.#timing = timing
    this.#sends = new Sends(database, log, timing)
    this.#departures = new Gather(database, {
      sizeOf: ({content}) => content.length,
      statements: departures => [inserting(departures)],
      answers: ([inserted], departures) => {
        const rows = newRows(inserted)
        return departures.map(({draft}) => rows.get(draft.id))
      },
    })
  }

  /** Begins with what earlier runs left unsent. Call it once the first generation is committed. */
  async start(senders: Senders): Promise<void> {
    this.#sends.start(senders)
    const unsure = await settleInterrupted(this.#database, endpoint => this.#sends.policy(endpoint), this.#timing)
    for (const {seq, endpoint, state} of unsure) {
      this.#log.warn("a message may have been sent before the Host ended", {outbox: Number(seq), endpoint, state})
    }
    await this.#resume()
  }

  /**
   * Prepares drafts for being stored; those of a handler are stored only while that attempt runs. A channel that has nothing
   * else to do keeps its turn for them until they are committed or released.
   */
  reserve(drafts: readonly OutboxDraft[], from?: MarkKey): Departures {
    const at = Date.now()
    const contents = drafts.map(({content}) => toJson(content))
    const departures = drafts.map((draft, ordinal) => ({
      draft,
      content: contents[ordinal] ?? "",
      at,
      turn: this.#sends.enter(draft),
      ...(from === undefined ? {} : {from: {...from, ordinal}}),
    }))
    return new Departures(departures, draft => this.stored([draft]))
  }

  /** Finds out which of them are durable, where storing them had an unknown outcome, and commits those. */
  async settle(departures: Departures): Promise<void> {
    if (departures.items.length === 0) return
    const ids = departures.items.map(({draft}) => draft.id)
    departures.commit(await persist("the outbox", this.#log, () => readDeparted(this.#database, ids)))
  }

  /** Tells that drafts are durable now, queued. */
  stored(drafts: readonly OutboxDraft[]): void {
    for (const {endpoint, channel} of drafts) this.#sends.push({endpoint, channel})
  }

  /** Stores a message that belongs to no event; resolves once it is durable. Throws `ingress_paused`. */
  async enqueue(draft: OutboxDraft): Promise<void> {
    this.#requireOpen()
    const departures = this.reserve([draft])
    try {
      const rows = await Promise.all(departures.items.map(departure => this.#departures.store(departure)))
      departures.commit(new Map(rows.flatMap(row => (row === undefined ? [] : [[draft.id, row]]))))
    } catch (error) {
      // What failed may be stored all the same, and is sent then.
      if (!isProblem(error, "database_outcome_unknown")) departures.release()
      else void this.settle(departures).catch(() => departures.release())
      throw error
    }
  }

  /** Resolves to how many messages it was done to. Throws `outbox_unknown`, `outbox_state`. */
  async act(action: OutboxAction, on: OutboxSelection): Promise<number> {
    const touched = await act(this.#database, action, on).catch(error => {
      if (isProblem(error, "database_outcome_unknown"))
        void persist("the outbox", this.#log, () => this.#resume()).catch(() => {})
      throw error
    })
    for (const lane of touched) this.#sends.wake(lane)
    return touched.length
  }

  /** An endpoint can send from now on. */
  online(endpoint: string): void {
    this.#sends.online(endpoint)
  }

  /** Resolves when everything is sent that can be sent now. */
  settled(): Promise<void> {
    return this.#sends.settled()
  }

  /** Starts no further send; resolves when those that run have ended. */
  drain(): Promise<void> {
    return this.#sends.drain()
  }

  /** Whatever is queued gets its turn. */
  async #resume(): Promise<void> {
    const lanes = await this.#database.read("SELECT DISTINCT endpoint, channel FROM outbox WHERE state = 'queued'")
    for (const row of lanes) this.#sends.push(laneOf(row))
  }
}
