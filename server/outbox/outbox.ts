import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {isProblem} from "../../shared/problems.ts"
import type {SentMessage} from "../../shared/sdk/plugin/plugin.ts"
import type {Database} from "../database/database.ts"
import {Gather} from "../database/gather.ts"
import {persist} from "../database/persist.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"
import type {DueClock} from "../runtime/flow/due-clock.ts"
import {act, cancel, type OutboxAction, type OutboxSelection} from "./actions.ts"
import {atAnyAge} from "./age.ts"
import {type Timing, usualTiming} from "./delivery.ts"
import {type Departures, departing} from "./departures.ts"
import type {OutboxDraft} from "./draft.ts"
import type {MarkKey} from "./mark-key.ts"
import {gatherPlanned, type Planned, readPlanned, type StoredPlan} from "./planned.ts"
import {hasMarkdown, readMarkdown} from "./read-markdown.ts"
import {
  type Departure,
  inserting,
  type Lane,
  laneOf,
  type NewRow,
  newRows,
  readDeparted,
  resolveInterrupted,
} from "./rows.ts"
import {expireUnknown, scheduleSends} from "./schedule.ts"
import {type Senders, Sends} from "./sends.ts"
import {SentWaits} from "./sent-waits.ts"

export interface OutboxOptions {
  /** Throws if nothing new may be sent. */
  readonly requireOpen?: () => void
  readonly timing?: Timing
  /** The clock of scheduled messages, of pauses and of stored times. */
  readonly clock?: Clock
}

/** How a plugin sends outside its handlers. */
export interface PlanOptions {
  readonly plugin: string
  readonly key?: string | undefined
  /** When to send, in milliseconds since 1970; now if it is past or left out. */
  readonly due?: number | undefined
}

/**
 * The durable outbox. A message is stored before it is sent, and its row is `sending` before the platform receives it.
 * The Host repeats a message that a crash left `sending` if the platform drops repetitions; otherwise it becomes
 * `unknown`.
 */
export class Outbox {
  readonly #database: Database
  readonly #log: Log
  /** Throws `ingress_paused` if nothing new may be sent. */
  readonly requireOpen: () => void
  readonly #timing: Timing
  readonly #sends: Sends
  readonly #departures: Gather<Departure, NewRow | undefined>
  readonly #planned: Gather<Planned, StoredPlan>
  readonly #schedule: DueClock
  readonly #expiry: DueClock
  readonly #clock: Clock
  readonly #sentWaits: SentWaits

  constructor(database: Database, log: Log, options: OutboxOptions = {}) {
    const {requireOpen = () => {}, timing = usualTiming, clock = systemClock} = options
    this.#database = database
    this.#log = log
    this.requireOpen = requireOpen
    this.#timing = timing
    this.#sends = new Sends(database, log, timing, clock, until => this.#expiry.consider(until))
    this.#expiry = expireUnknown(database, log, endpoint => this.#sends.policy(endpoint).maxAge, clock)
    this.#planned = gatherPlanned(database)
    this.#schedule = scheduleSends(database, log, lane => this.#sends.push(lane), clock)
    this.#clock = clock
    this.#sentWaits = new SentWaits(database)
    this.#departures = new Gather(database, {
      sizeOf: ({content}) => content.length,
      statements: departures => [inserting(departures)],
      answers: ([inserted], departures) => {
        const rows = newRows(inserted?.rows)
        return departures.map(({draft}) => rows.get(draft.id))
      },
    })
  }

  get ends(): Sends["ends"] {
    return this.#sends.ends
  }

  /** Begins to send what earlier runs left unsent. Call it once the first generation is committed. */
  async start(senders: Senders): Promise<void> {
    this.#sends.start(senders)
    const unsure = await resolveInterrupted(
      this.#database,
      endpoint => this.#sends.policy(endpoint),
      this.#timing,
      this.#clock.now(),
    )
    for (const {seq, endpoint, state} of unsure) {
      this.#log.warn("a message may have been sent before the Host ended", {outbox: Number(seq), endpoint, state})
    }
    await this.#resume()
    this.#schedule.start()
    this.#expiry.start()
  }

  /**
   * Prepares drafts for storing. Drafts of a handler are stored only while that attempt runs. An idle channel keeps its
   * turn for them until they are committed or released.
   */
  reserve(drafts: readonly OutboxDraft[], from?: MarkKey): Departures {
    const at = this.#clock.now()
    const contents = drafts.map(({content}) => toJson(content))
    const departures = drafts.map((draft, ordinal) => ({
      draft,
      content: contents[ordinal] ?? "",
      at,
      turn: (draft.notAfter ?? atAnyAge) > at ? this.#sends.enter(draft) : undefined,
      ...(from === undefined ? {} : {from: {...from, ordinal}}),
    }))
    return departing(departures, draft => this.stored([draft]))
  }

  /** After an unknown outcome, finds out which drafts are durable, and commits those. */
  async recheck(departures: Departures): Promise<void> {
    if (departures.items.length === 0) return
    const ids = departures.items.map(({draft}) => draft.id)
    departures.commit(await persist("the outbox", this.#log, () => readDeparted(this.#database, ids)))
  }

  /** Resolves when a call that is not stored may begin, at the pace of its endpoint. Rejects once the signal is aborted. */
  turn(endpoint: string, signal: AbortSignal): Promise<void> {
    return this.#sends.turn(endpoint, signal)
  }

  /** Takes note of drafts that are durable and queued. */
  stored(drafts: readonly OutboxDraft[]): void {
    for (const {endpoint, channel} of drafts) this.#sends.push({endpoint, channel})
  }

  /** Stores a message that belongs to no event. Resolves once it is durable. Throws `ingress_paused`. */
  async enqueue(given: OutboxDraft): Promise<void> {
    this.requireOpen()
    const draft = hasMarkdown(given) ? await readMarkdown(given) : given
    const departures = this.reserve([draft])
    try {
      const rows = await Promise.all(departures.items.map(departure => this.#departures.store(departure)))
      departures.commit(new Map(rows.flatMap(row => (row === undefined ? [] : [[draft.id, row]]))))
    } catch (error) {
      // A message whose storing failed may still be stored, and is then sent.
      if (!isProblem(error, "database_outcome_unknown")) departures.release()
      else void this.recheck(departures).catch(() => departures.release())
      throw error
    }
  }

  /**
   * Stores a plugin's message, to be sent now or at its time. Resolves to its outbox id once it is durable. If the
   * plugin has already sent under this key, resolves to that message's id, even while ingress is paused. Throws
   * `ingress_paused`.
   */
  async plan(given: OutboxDraft, {plugin, key, due = 0}: PlanOptions): Promise<string> {
    try {
      this.requireOpen()
    } catch (error) {
      const known = key === undefined ? undefined : await readPlanned(this.#database, plugin, key)
      if (known === undefined) throw error
      return known
    }
    const draft = hasMarkdown(given) ? await readMarkdown(given) : given
    const planned = {draft, content: toJson(draft.content), plugin, key, at: this.#clock.now(), due}
    const {id, isNew} = await this.#planned.store(planned).catch(error => this.#resumeAfter(error))
    if (isNew && due > planned.at) this.#schedule.consider(due)
    else if (isNew) this.stored([draft])
    return id
  }

  /** Cancels a plugin's message that has not begun. Resolves to whether it did. Throws `outbox_unknown`. */
  async cancel(id: string, plugin: string): Promise<boolean> {
    const lane = await cancel(this.#database, id, plugin, this.#clock.now())
    if (lane !== undefined) this.#sends.wake(lane)
    return lane !== undefined
  }

  /** Resolves to a message once it has ended. Throws `outbox_unknown`, and the reason of an aborted signal. */
  ended(id: string, signals: readonly AbortSignal[]): Promise<SentMessage> {
    return this.#sentWaits.until(id, signals)
  }

  /** Resolves to the number of changed messages. Throws `outbox_unknown`, `outbox_state`. */
  async act(action: OutboxAction, on: OutboxSelection): Promise<number> {
    const touched = await act(this.#database, action, on).catch(error => this.#resumeAfter(error))
    this.#schedule.consider(0)
    for (const lane of touched) this.#sends.wake(lane)
    return touched.length
  }

  /** Another part of the Host has discarded waiting messages of these channels. */
  discarded(lanes: readonly Lane[]): void {
    for (const lane of lanes) this.#sends.wake(lane)
  }

  /** An endpoint can send from now on. */
  online(endpoint: string): void {
    this.#sends.online(endpoint)
    // Its age limit may be new.
    this.#expiry.consider(0)
  }

  /** True if no message is being sent or could be sent now. */
  get isIdle(): boolean {
    return this.#sends.isIdle && !this.#schedule.isFiring && !this.#expiry.isFiring
  }

  /** Resolves when every message is sent that can be sent now. */
  idle(): Promise<void> {
    return this.#sends.idle()
  }

  /** Starts no further send. Resolves when the running ones have ended. */
  async drain(): Promise<void> {
    await Promise.all([this.#schedule.stop(), this.#expiry.stop(), this.#sends.drain()])
  }

  /** A message whose storing failed may still be stored. Throws the error. */
  #resumeAfter(error: unknown): never {
    if (isProblem(error, "database_outcome_unknown"))
      void persist("the outbox", this.#log, () => this.#resume())
        .catch(() => {})
        .then(() => this.#schedule.consider(0))
    throw error
  }

  /** Gives every channel with queued messages a turn. */
  async #resume(): Promise<void> {
    const lanes = await this.#database.read("SELECT DISTINCT endpoint, channel FROM outbox WHERE state = 'queued'")
    for (const row of lanes) this.#sends.push(laneOf(row))
  }
}
