import type {Log} from "../../shared/log.ts"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import type {Sender} from "../../shared/sdk/adapter/sender.ts"
import type {Database, Row} from "../database/database.ts"
import type {Gather} from "../database/gather.ts"
import {persist} from "../database/persist.ts"
import {noPolicy, type Policy} from "../endpoints/policy.ts"
import type {Clock} from "../runtime/flow/clock.ts"
import {Lanes} from "../runtime/flow/lanes.ts"
import {type Reservation, reserve} from "../runtime/flow/reservation.ts"
import {uuid} from "../runtime/uuid.ts"
import {expiringQueued, isPast, isTooOld, limitOf, tooOld} from "./age.ts"
import {attempt, longestWait, policyFor, type Timing} from "./delivery.ts"
import {type Pace, Paces} from "./pace.ts"
import {
  claiming,
  endpointOfLane,
  type Finish,
  gatherFinishes,
  type Lane,
  laneKeyOf,
  readNext,
  readParts,
} from "./rows.ts"

/** What the outbox needs of endpoints; passed in by the composition root. */
export interface Senders {
  sender(endpoint: string): Sender | undefined
  /** Returns how an endpoint sends; undefined for an unknown one. */
  policy(endpoint: string): Policy | undefined
  /** Hides the values of secrets in the stored error of a failure, since a platform may repeat what it received. */
  readonly scrub?: (text: string) => string
}

type Turns = Pace<Lane | (() => void)>

/** A message with a claimed first attempt, and what sends it. */
interface First extends Lane {
  readonly row: Row
  readonly sender: Sender
  readonly pace: Turns
}

/** Throws `database_unanswered` if another Host may already hold the database and send the same messages. */
const requireOwn = ({state}: Pick<Database, "state">): void => {
  if (state.is === "initialized" && state.mayBeLost)
    throw new Problem("database_unanswered", "the lease of the remote database may have expired")
}

/** How many channels of one endpoint are sent to side by side. */
const width = 256

/** Sends the messages of the outbox: each channel in order, channels side by side, at their endpoints' pace. */
export class Sends {
  /** How many messages ended in each way since the Host started. */
  readonly ends = {sent: 0, failed: 0, dead: 0, unknown: 0, expired: 0}
  readonly #database: Database
  readonly #log: Log
  readonly #timing: Timing
  readonly #finishes: Gather<Finish, void>
  readonly #lanes: Lanes<Lane | First>
  /** A lane, or the function that begins a call that is not stored. */
  readonly #paces: Paces<Lane | (() => void)>
  readonly #closing = new AbortController()
  /** Channels that wait to be looked at. */
  readonly #pushed = new Set<string>()
  /** Lanes whose endpoint cannot send now, by endpoint. */
  readonly #parked = new Map<string, Map<string, Lane>>()
  /** Lanes whose next message is retried later, each with what cancels the wait. They take no place meanwhile. */
  readonly #resting = new Map<string, () => void>()
  readonly #clock: Clock
  /** Until when a lane's next message waits, by a monotonic clock. */
  readonly #due = new Map<string, {readonly seq: number; readonly at: number}>()
  readonly #asks: (until: number) => void
  #senders: Senders | undefined

  /** Calls `asks` when a person has to decide about a message, with the time when it expires. */
  constructor(database: Database, log: Log, timing: Timing, clock: Clock, asks: (until: number) => void) {
    this.#database = database
    this.#asks = asks
    this.#clock = clock
    this.#paces = new Paces(waiting => (typeof waiting === "function" ? waiting() : this.push(waiting)), clock)
    this.#log = log
    this.#timing = timing
    this.#finishes = gatherFinishes(database, clock)
    const send = (lane: Lane | First) => ("row" in lane ? this.#sendFirst(lane) : this.#sendQueued(lane))
    this.#lanes = new Lanes(width, send, {ownerOf: endpointOfLane})
  }

  start(senders: Senders): void {
    this.#senders = senders
  }

  policy(endpoint: string): Policy {
    return this.#senders?.policy(endpoint) ?? noPolicy
  }

  /** A message of this channel is queued. */
  push(lane: Lane): void {
    const key = laneKeyOf(lane)
    if (this.#pushed.has(key)) return
    this.#pushed.add(key)
    this.#lanes.push(key, lane)
  }

  /** The waiting message of this channel may have changed, or need not wait any longer. */
  wake(lane: Lane): void {
    this.#due.delete(laneKeyOf(lane))
    this.push(lane)
  }

  /**
   * Reserves the turn of a channel that can send at once: its lane is idle, its endpoint is online, and its pace allows
   * it. Commit it with a message that was stored as `sending`: its first attempt then begins.
   */
  enter(lane: Lane): Reservation<Row> | undefined {
    const {endpoint, channel} = lane
    const sender = this.#senders?.sender(endpoint)
    const turn = sender && this.#lanes.enter(laneKeyOf(lane))
    if (sender === undefined || turn === undefined) return undefined
    const pace = this.#paces.of(endpoint, this.policy(endpoint).rates)
    if (!pace.ask(laneKeyOf(lane), lane)) {
      turn.release()
      return undefined
    }
    return reserve(
      row => turn.commit({endpoint, channel, row, sender, pace}),
      () => {
        pace.leave(laneKeyOf(lane))
        turn.release()
      },
    )
  }

  /** See `Outbox.turn`. */
  async turn(endpoint: string, signal: AbortSignal): Promise<void> {
    const pace = this.#paces.of(endpoint, this.policy(endpoint).rates)
    const key = uuid()
    const {promise, resolve, reject} = Promise.withResolvers<void>()
    const stop = () => {
      pace.leave(key)
      reject(signal.reason)
    }
    signal.addEventListener("abort", stop, {once: true})
    if (pace.ask(key, resolve)) resolve()
    await promise.finally(() => signal.removeEventListener("abort", stop))
    pace.begin(key)
  }

  /** An endpoint can send from now on. */
  online(endpoint: string): void {
    const parked = this.#parked.get(endpoint)
    this.#parked.delete(endpoint)
    for (const lane of parked?.values() ?? []) this.push(lane)
  }

  /** True if no message is being sent or could be sent now. */
  get isIdle(): boolean {
    return this.#lanes.isIdle
  }

  async idle(): Promise<void> {
    await this.#lanes.idle()
  }

  /** Starts no further send. Resolves when the running ones have ended. */
  async drain(): Promise<void> {
    this.#closing.abort()
    this.#paces.stop()
    for (const callOff of this.#resting.values()) callOff()
    this.#lanes.pause()
    await this.#lanes.idle()
  }

  async #sendFirst({row, sender, pace, ...lane}: First): Promise<void> {
    try {
      if ((await this.#begin(row, lane, sender, pace, 1)) === "queued") this.push(lane)
    } catch (error) {
      this.#stopped(lane, error)
    }
  }

  /** Sends the queued messages of one channel, in order, until none is left or its endpoint cannot send. */
  async #sendQueued(lane: Lane): Promise<void> {
    this.#pushed.delete(laneKeyOf(lane))
    try {
      while (!this.#closing.signal.aborted) {
        const row = await persist(`sending to ${lane.endpoint}`, this.#log, () => readNext(this.#database, lane))
        if (row !== undefined && isTooOld(row, this.policy(lane.endpoint).maxAge, this.#clock.now())) {
          await this.#expire(lane)
          continue
        }
        const sender = row && this.#senders?.sender(lane.endpoint)
        if (row === undefined || sender === undefined) return this.#leave(lane, row !== undefined)
        const pause = this.#pauseBefore(row, lane)
        if (pause > 0) return this.#rest(lane, pause)
        const pace = this.#paces.of(lane.endpoint, this.policy(lane.endpoint).rates)
        if (!pace.ask(laneKeyOf(lane), lane)) return
        await this.#sendNext(row, lane, sender, pace)
      }
    } catch (error) {
      this.#leave(lane, false)
      this.#stopped(lane, error)
    }
  }

  async #expire(lane: Lane): Promise<void> {
    const {endpoint} = lane
    const statement = expiringQueued(lane, this.policy(endpoint).maxAge, this.#clock.now())
    const [expired] = await persist(`sending to ${endpoint}`, this.#log, () => this.#database.write([statement]))
    const count = expired?.rows.length ?? 0
    this.ends.expired += count
    this.#log.warn(`${count} messages to ${endpoint} were too old to be sent`, {endpoint})
  }

  #stopped({endpoint}: Lane, error: unknown): void {
    if (!isProblem(error, "stopping")) this.#log.error(`sending to ${endpoint} stopped: ${messageOf(error)}`, {error})
  }

  /** No message is left, or the endpoint cannot send: then the lane waits for the endpoint. */
  #leave(lane: Lane, isParked: boolean): void {
    this.#paces.leave(lane.endpoint, laneKeyOf(lane))
    if (!isParked) return
    const parked = this.#parked.get(lane.endpoint) ?? new Map<string, Lane>()
    this.#parked.set(lane.endpoint, parked.set(lane.channel, lane))
  }

  /** Trusts a stored time of an earlier run once, then a monotonic clock, so that setting the clock changes nothing. */
  #pauseBefore(row: Row, lane: Lane): number {
    const key = laneKeyOf(lane)
    const seq = Number(row.seq)
    const now = this.#clock.elapsed()
    const known = this.#due.get(key)
    if (known?.seq === seq) return known.at - now
    const pause = Math.min(Number(row.not_before) - this.#clock.now(), longestWait)
    if (pause > 0) this.#due.set(key, {seq, at: now + pause})
    return pause
  }

  #rest(lane: Lane, pause: number): void {
    const key = laneKeyOf(lane)
    this.#paces.leave(lane.endpoint, key)
    this.#resting.get(key)?.()
    const wake = () => {
      this.#resting.delete(key)
      this.push(lane)
    }
    this.#resting.set(key, this.#clock.wait(Math.ceil(pause), wake))
  }

  async #sendNext(row: Row, lane: Lane, sender: Sender, pace: Turns): Promise<void> {
    const seq = Number(row.seq)
    const number = Number(row.attempt) + 1
    const [claimed] = await this.#persist(seq, () => this.#database.write([claiming(seq, number)]))
    if (claimed?.rows.length !== 1) return pace.leave(laneKeyOf(lane))
    await this.#begin(row, lane, sender, pace, number)
  }

  /** Counts the send in its pace once the platform was called, so that a standstill before it shortens no distance. */
  async #begin(row: Row, lane: Lane, sender: Sender, pace: Turns, number: number): Promise<string> {
    const key = laneKeyOf(lane)
    try {
      return await this.#attempt(row, lane, sender, number, () => pace.begin(key))
    } finally {
      // Without effect once it has begun.
      pace.leave(key)
    }
  }

  /** Makes one attempt, from the call to its stored end. Resolves to how it ended. */
  async #attempt(row: Row, lane: Lane, sender: Sender, number: number, called: () => void): Promise<string> {
    const seq = Number(row.seq)
    this.#due.delete(laneKeyOf(lane))
    requireOwn(this.#database)
    const policy = policyFor(row, this.policy(lane.endpoint))
    const isLate = (by: typeof isPast) => by(row, policy.maxAge, this.#clock.now())
    const making = {
      sender,
      policy,
      number,
      counted: number - Number(row.spared),
      timing: this.#timing,
      partsOf: (id: string) => this.#persist(seq, () => readParts(this.#database, id)),
      scrub: this.#senders?.scrub,
      called,
    }
    // Its claim may have waited for the database.
    const made = isLate(isTooOld) ? tooOld : await attempt(row, making)
    const end = made.is === "unknown" && isLate(isPast) ? {...tooOld, error: made.error} : made
    if (end.is === "queued") this.#due.set(laneKeyOf(lane), {seq, at: this.#clock.elapsed() + end.wait})
    if ("error" in end)
      this.#log.warn(`a message was not sent: ${end.error}`, {outbox: seq, attempt: number, state: end.is})
    await this.#persist(seq, () => this.#finishes.store({end, seq, attempt: number}))
    if (end.is === "unknown") this.#asks(limitOf(row, policy.maxAge))
    if (end.is === "partly") return "queued"
    if (end.is !== "queued") this.ends[end.is]++
    return end.is
  }

  #persist<T>(seq: number, work: () => Promise<T>): Promise<T> {
    return persist(`message ${seq}`, this.#log, work)
  }
}
