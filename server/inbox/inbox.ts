import {fromJson, toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import type {Receipt, ReceiveOptions} from "../../shared/sdk/adapter/adapter.ts"
import type {Backoff} from "../../shared/sdk/adapter/backoff.ts"
import type {Incoming} from "../../shared/sdk/adapter/incoming.ts"
import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import type {Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import {readMeta} from "../database/state/meta.ts"
import type {Endpoint} from "../endpoints/endpoint.ts"
import type {Outbox} from "../outbox/outbox.ts"
import type {Span} from "../runtime/flow/clock.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"
import {type Again, Lanes} from "../runtime/flow/lanes.ts"
import {act, type InboxAction, type InboxChange, type InboxSelection} from "./actions.ts"
import {Attempts} from "./attempts.ts"
import {runChain} from "./chain.ts"
import {createFire} from "./firing.ts"
import {sinceOf} from "./intake/age.ts"
import type {Dispatch, InboxEvent} from "./intake/handling.ts"
import {Intake, type RestoredAt, type Task} from "./intake/intake.ts"
import {type Due, readDue, takeOver} from "./intake/marks.ts"
import {groupsOf, ownerOfLane, type Placed, widthOf} from "./intake/order.ts"
import {Outages, type OutagesOptions} from "./intake/outages.ts"
import {type Asked, Prompts} from "./intake/prompts.ts"
import {readRaw} from "./intake/raw.ts"
import {Repeats} from "./intake/repeats.ts"
import {readChannelEnds} from "./newest.ts"
import {moveBackWaits} from "./upkeep/set-back.ts"

/** The pauses before a handler with `retries` runs again. */
const retry: Backoff = {first: 500, longest: 30_000}

export interface InboxOptions {
  /** The pauses before a handler with `retries` runs again. */
  readonly pauses?: Backoff
  /** Drops replayed events that are older than this, in milliseconds since 1970. */
  readonly oldest?: () => number
  /** The pauses of ingress that do not count as age; none when left out. */
  readonly uncounted?: () => readonly Span[]
  /** Holds what was written before the end of a long outage; nothing when left out. */
  readonly outages?: Pick<OutagesOptions, "asking" | "pastOf">
  /** Hides the values of secrets in JSON; nothing when left out. */
  readonly scrub?: (json: string) => string
  /** The clock of pauses, of the ends of questions and of stored times. */
  readonly clock?: Clock
}

/**
 * The durable inbox. An event is stored, with one mark for each of its handlers, before its platform gets an
 * acknowledgement. A conversation is handled in the order of its events, unless its handlers say otherwise;
 * conversations side by side. The messages of a handler are stored in one batch with its mark.
 */
export class Inbox {
  readonly repeats: Repeats
  readonly #database: Database
  readonly #log: Log
  readonly #clock: Clock
  readonly #lanes: Lanes<Task>
  readonly #prompts: Prompts
  readonly #attempts: Attempts
  readonly #outages: Outages
  readonly #intake: Intake
  /** Stores events of the Host itself, each for the handler that it names, in one batch with other statements. */
  readonly fire: ReturnType<typeof createFire>
  #dispatch: Dispatch | undefined
  #stopping = false
  /** How many tasks of earlier runs are not handled yet. */
  #replaying = 0

  constructor(database: Database, outbox: Outbox, runtimeId: string, log: Log, options: InboxOptions = {}) {
    const {pauses = retry, oldest = () => Number.NEGATIVE_INFINITY} = options
    const {clock = systemClock, uncounted = () => [], scrub = json => json} = options
    const {outages = {asking: () => ({}), pastOf: () => ({})}} = options
    this.#clock = clock
    this.#database = database
    this.#log = log
    this.#lanes = new Lanes(widthOf, task => this.#handle(task), {clock, ownerOf: ownerOfLane})
    this.#prompts = new Prompts(database, log, clock)
    this.repeats = new Repeats(database, log)
    const common = {
      database,
      log,
      runtimeId,
      clock,
      lanes: this.#lanes,
      prompts: this.#prompts,
      pauses: uncounted,
      groups: (event: Placed, handlers: readonly string[]) => groupsOf(this.#dispatch, event, handlers),
      resume: (due: readonly Due[]) => this.#resume(due),
    }
    this.#outages = new Outages({...common, ...outages})
    this.#intake = new Intake({...common, repeats: this.repeats, outages: this.#outages, oldest, scrub})
    const loginOf = (endpoint: string) => this.#dispatch?.loginOf?.(endpoint) ?? {platform: endpoint}
    this.fire = createFire({...common, loginOf})
    this.#attempts = new Attempts({...common, outbox, retry: pauses, isStopping: () => this.#stopping})
  }

  /**
   * Starts with the unhandled events of earlier runs, in their order; one event at a time if an event may have ended
   * the Host. A handler that was running when the Host died twice is dead. Call it before the first `receive`.
   */
  async start(dispatch: Dispatch): Promise<void> {
    this.#dispatch = dispatch
    await moveBackWaits(this.#database, this.#log, this.#clock.now())
    await this.#prompts.start()
    const restored = await readMeta(this.#database, "restored")
    this.#intake.start(dispatch, fromJson(restored ?? '{"at":0}') as RestoredAt)
    const {backlog, isSuspect} = await takeOver(this.#database, this.#log, this.#clock.now(), () =>
      this.#outages.start(),
    )
    if (backlog.length > 0) this.#log.info(`handling ${backlog.length} events that earlier runs left unhandled`)
    if (isSuspect) this.#lanes.setMost(1)
    this.#resume(backlog, true)
    this.#outages.recheck()
  }

  /** Returns the last stored messages of an endpoint's channels, as `readChannelEnds`. */
  ends(endpoint: string, most: number): ReturnType<typeof readChannelEnds> {
    return readChannelEnds(this.#database, endpoint, most)
  }

  /** The endpoint is online: an outage may have ended. */
  online(endpoint: Endpoint): void {
    this.#outages.online(endpoint)
  }

  /** Resolves once events and cursor are durable, in one batch. Stores a platform id once. Throws `event_invalid`. */
  receiveAll(endpoint: Endpoint, incoming: readonly Incoming[], options?: ReceiveOptions): Promise<readonly Receipt[]> {
    return this.#intake.receive(endpoint, incoming, options)
  }

  /** The same for one event. */
  async receive(endpoint: Endpoint, incoming: Incoming): Promise<Receipt> {
    const [receipt] = await this.#intake.receive(endpoint, [incoming])
    return receipt as Receipt
  }

  /**
   * Carries out an operator's decision about handlers that do not run and have not handled their event. Throws
   * `inbox_unknown`, `inbox_state`, and `stopping` once the Host stops.
   */
  async act(action: InboxAction, on: InboxSelection): Promise<InboxChange> {
    if (this.#stopping) throw new Problem("stopping", "the Host is stopping")
    const change = await act(this.#database, action, on).catch(error => {
      if (isProblem(error, "database_outcome_unknown")) void this.#resumeUnknown(on).catch(() => {})
      throw error
    })
    this.#resume(change.due)
    this.#outages.recheck()
    return change
  }

  /** Rereads these questions from the database, because another part of the Host may have ended them. */
  async questionsChanged(places: readonly Asked[]): Promise<void> {
    for (const place of places) await this.#prompts.recheck(place)
  }

  /** True if no handler runs, no event is being stored, and no waiting one could run. */
  get isIdle(): boolean {
    return this.#lanes.isIdle
  }

  /** Resolves when no handler runs and no waiting one could run. */
  idle(): Promise<void> {
    return this.#lanes.idle()
  }

  /** Starts no further handler. Resolves when the running ones have ended. Interrupted ones run again next time. */
  async drain(): Promise<void> {
    this.#stopping = true
    this.#lanes.pause()
    await this.#outages.stop()
    await this.#lanes.idle()
  }

  /** Passes on handlers that an action released although it seemed to fail. A handler passed on twice runs once. */
  async #resumeUnknown(on: InboxSelection): Promise<void> {
    const [condition, args] =
      on === "held" ? ["true", []] : ["m.seq IN (SELECT value FROM json_each(?))", [toJson([on.seq].flat())]]
    this.#resume(await persist("the inbox", this.#log, () => readDue(this.#database, condition, args)))
  }

  #resume(due: readonly Due[], isReplay = false): void {
    for (const {seq, handlers, all, ...event} of due) {
      // Their lanes are those of the whole event, so that they wait while others of it run.
      for (const {lane, handlers: each} of groupsOf(this.#dispatch, event, all)) {
        const left = each.filter(handler => handlers.includes(handler))
        if (left.length === 0) continue
        if (isReplay) this.#replaying++
        this.#lanes.push(lane, {seq, handlers: left, claimed: new Set(), stored: undefined, isReplay})
      }
    }
  }

  async #handle(task: Task): Promise<Again | undefined> {
    const again = await this.#handleAll(task).catch(error => {
      if (!isProblem(error, "stopping"))
        this.#log.error(`event ${task.seq} stays unhandled: ${messageOf(error)}`, {error})
      return undefined
    })
    if (again === undefined && task.isReplay && --this.#replaying === 0) this.#lanes.setMost(Number.POSITIVE_INFINITY)
    return again
  }

  /** Resolves to when a handler is to run again. */
  async #handleAll(task: Task): Promise<Again | undefined> {
    const dispatch = this.#dispatch
    // An event whose turn comes while the Host stops is left, like a running one.
    if (dispatch === undefined || this.#stopping) return undefined
    const stored = task.stored ?? (await this.#read(task.seq))
    return runChain(this.#attempts, dispatch, stored, task)
  }

  async #read(seq: number): Promise<InboxEvent> {
    const [row] = await persist(`event ${seq}`, this.#log, () =>
      this.#database.read("SELECT endpoint, event, raw, received_at, kept_since FROM inbox WHERE seq = ?", [seq]),
    )
    if (row === undefined) throw new Problem("inbox_unknown", `there is no inbox event ${seq}`)
    const event: SatoriEvent = {...fromJson(String(row.event)), sn: seq}
    const keptSince = row.kept_since === null ? null : Number(row.kept_since)
    const since = sinceOf({timestamp: event.timestamp, receivedAt: Number(row.received_at), keptSince})
    return {endpoint: String(row.endpoint), event, since, raw: readRaw(row.raw)}
  }
}
