import type {Log} from "../../shared/log.ts"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import type {Incoming, Receipt} from "../../shared/sdk/adapter.ts"
import type {SatoriEvent} from "../../shared/sdk/satori.ts"
import type {Database} from "../database/database.ts"
import type {Gather} from "../database/gather.ts"
import {persist} from "../database/persist.ts"
import type {Endpoint} from "../endpoints/endpoint.ts"
import type {Outbox} from "../outbox/outbox.ts"
import type {Backoff} from "../runtime/flow/backoff.ts"
import {type Again, Lanes, type Turn} from "../runtime/flow/lanes.ts"
import {act, type InboxAction, type InboxChange, type InboxSelection} from "./actions.ts"
import {type Arrival, gatherArrivals, keyOf, type Stored} from "./arrivals.ts"
import {Attempts} from "./attempts.ts"
import {runChain} from "./chain.ts"
import type {Dispatch, StoredEvent} from "./handling.ts"
import {toEvent} from "./incoming.ts"
import {type Due, readDue, readUnsettled, takeOver} from "./marks.ts"
import {Prompts, type Question} from "./prompts.ts"
import {settleSetBack} from "./set-back.ts"

interface Task {
  readonly seq: number
  readonly handlers: readonly string[]
  /** Those whose marks are `running` though they have not begun. */
  readonly claimed: Set<string>
  /** Kept while the backlog is short; read again where it is not. */
  readonly stored: StoredEvent | undefined
  /** Left by an earlier run. */
  readonly isReplay: boolean
}

/** The pauses before a handler with `retries` runs again. */
const retry: Backoff = {first: 500, longest: 30_000}

/** Conversations that are handled side by side. */
const width = 256

/** Events of a backlog longer than this are read again when their turn comes, not kept in memory. */
const keptInMemory = 1000

/**
 * The durable inbox. An event is stored, with one mark for each of its handlers, before its platform hears of it; one
 * conversation is handled in the order of its events, conversations side by side; what a handler sends is stored in one
 * batch with its mark.
 */
export class Inbox {
  readonly #database: Database
  readonly #log: Log
  readonly #lanes: Lanes<Task>
  readonly #prompts: Prompts
  readonly #attempts: Attempts
  readonly #arrivals: Gather<Arrival, Stored>
  readonly #runtimeId: string
  #dispatch: Dispatch | undefined
  #stopping = false
  /** When this state was restored from a checkpoint, in milliseconds since 1970; 0 for never. */
  #restoredAt = 0
  /** Events whose storing had an unknown outcome, by endpoint and platform id. */
  readonly #unsettled = new Set<string>()
  /** Events that are replayed after a crash, and not handled yet. */
  #replaying = 0

  constructor(database: Database, outbox: Outbox, runtimeId: string, log: Log, pauses = retry) {
    this.#database = database
    this.#log = log
    this.#lanes = new Lanes(width, task => this.#handle(task))
    this.#prompts = new Prompts(database, log)
    this.#arrivals = gatherArrivals(database, runtimeId)
    this.#runtimeId = runtimeId
    this.#attempts = new Attempts({
      database,
      outbox,
      prompts: this.#prompts,
      runtimeId,
      log,
      retry: pauses,
      isStopping: () => this.#stopping,
    })
  }

  /**
   * Begins with what earlier runs left unhandled, in its order; one event at a time where the Host may have ended because
   * of one. What was running when the Host so ended twice is dead. Call it before the first `receive`.
   */
  async start(dispatch: Dispatch): Promise<void> {
    this.#dispatch = dispatch
    await settleSetBack(this.#database, this.#log)
    await this.#prompts.start()
    const [restored] = await this.#database.read("SELECT value ->> 'at' AS at FROM svc_meta WHERE key = 'restored'")
    this.#restoredAt = Number(restored?.at ?? 0)
    const {backlog, isSuspect} = await takeOver(this.#database, this.#log)
    if (backlog.length > 0) this.#log.info(`handling ${backlog.length} events that earlier runs left unhandled`)
    if (isSuspect) {
      this.#replaying = backlog.length
      this.#lanes.setWidth(1)
    }
    this.#resume(backlog, true)
  }

  /** Resolves once the event is durable. The same platform id again is stored once. Throws `event_invalid`. */
  async receive(endpoint: Endpoint, incoming: Incoming): Promise<Receipt> {
    const {name} = endpoint.spec
    const event = toEvent(endpoint, incoming)
    // What a cursor that was restored with the state brings again may have been handled by the state that was replaced.
    const isHeld = event.timestamp < this.#restoredAt
    const asked = isHeld ? undefined : this.#prompts.find(name, event)
    const handlers = this.#dispatch?.match(event, asked?.handler) ?? []
    const otherwise = asked === undefined ? handlers : (this.#dispatch?.match(event) ?? [])
    const question = asked !== undefined && handlers.includes(asked.handler) ? asked : undefined
    if (question !== undefined) this.#prompts.take(question)
    const {sn: _, ...stored} = event
    const id = incoming.id.toWellFormed()
    const conversation = `${name}/${incoming.channel?.id ?? incoming.user?.id ?? ""}`
    const turn = handlers.length > 0 && !isHeld ? this.#lanes.enter(conversation) : undefined
    const pushed = turn === undefined ? this.#lanes.expect(conversation) : undefined
    const arrival: Arrival = {
      endpoint: name,
      id,
      conversation,
      type: event.type,
      at: Date.now(),
      event: JSON.stringify(stored),
      raw: incoming.raw === undefined ? null : JSON.stringify(incoming.raw),
      handlers,
      claimed: turn === undefined || question !== undefined ? [] : this.#first(handlers),
      isHeld,
      also: question === undefined ? [] : this.#prompts.answering(question, name, id, otherwise),
    }
    try {
      const {seq, didAlso, isUnsettled} = await this.#store(arrival, question).catch(error => {
        turn?.leave()
        throw error
      })
      const due = question === undefined || didAlso ? handlers : otherwise
      if (seq !== undefined) {
        if (!isHeld) this.#hand({...arrival, handlers: due, seq}, {...event, sn: seq}, turn)
        return {sn: seq, duplicate: false}
      }
      turn?.leave()
      if (isUnsettled) await this.#settle(arrival)
      return {sn: await this.#sequenceOf(name, id), duplicate: true}
    } finally {
      pushed?.()
    }
  }

  /**
   * What an operator decides about handlers that are failed, dead or held. Throws `inbox_unknown`, `inbox_state`;
   * `stopping` once the Host stops.
   */
  async act(action: InboxAction, on: InboxSelection): Promise<InboxChange> {
    if (this.#stopping) throw new Problem("stopping", "the Host is stopping")
    const change = await act(this.#database, action, on).catch(error => {
      if (isUnknown(error)) void this.#resumeUnknown(on).catch(() => {})
      throw error
    })
    this.#resume(change.due)
    return change
  }

  /** Starts no further handler; resolves when those that run have ended. One that is cut short runs again next time. */
  async drain(): Promise<void> {
    this.#stopping = true
    this.#lanes.pause()
    await this.#lanes.settled()
  }

  /** `isUnsettled`: whoever stores it next hands it to its handlers, if it turns out to have been stored before. */
  async #store(arrival: Arrival, question: Question | undefined): Promise<Stored & {readonly isUnsettled: boolean}> {
    const isUnsettled = this.#unsettled.delete(keyOf(arrival))
    try {
      const {seq, didAlso} = await this.#arrivals.store(arrival)
      if (question !== undefined && !didAlso) void this.#prompts.recheck(question).catch(() => {})
      return {seq, didAlso, isUnsettled}
    } catch (error) {
      if (isUnsettled || isUnknown(error)) void this.#settle(arrival).catch(() => {})
      if (question !== undefined) void this.#prompts.recheck(question).catch(() => {})
      throw error
    }
  }

  /** The handlers that begin as soon as it is an event's turn. */
  #first(handlers: readonly string[]): readonly string[] {
    const {around = [], within = []} = this.#dispatch?.order(handlers) ?? {}
    return around.length > 0 ? around.slice(0, 1) : within
  }

  /** A stored event comes to its conversation, at once where it has the turn. */
  #hand(
    {seq, endpoint, conversation, handlers, claimed}: Arrival & {seq: number},
    event: SatoriEvent,
    turn?: Turn<Task>,
  ) {
    const stored = {endpoint, event}
    if (turn !== undefined) turn.run({seq, handlers, claimed: new Set(claimed), stored, isReplay: false})
    else if (handlers.length > 0) {
      const kept = this.#lanes.length < keptInMemory ? stored : undefined
      this.#lanes.push(conversation, {seq, handlers, claimed: new Set(), stored: kept, isReplay: false})
    }
  }

  /** Finds out whether an event was stored though its storing seemed to fail; if so, it is handled like any other. */
  async #settle(arrival: Arrival): Promise<void> {
    const key = keyOf(arrival)
    this.#unsettled.add(key)
    const [due] = await persist(`event ${arrival.id}`, this.#log, () =>
      readUnsettled(this.#database, arrival, this.#runtimeId),
    )
    if (this.#unsettled.delete(key) && due !== undefined) this.#resume([due])
  }

  /** Hands on what an action has released though it seemed to fail. What is handed on twice runs once. */
  async #resumeUnknown(on: InboxSelection): Promise<void> {
    const [condition, args] = on === "held" ? ["true", []] : ["m.seq = ?", [on.seq]]
    this.#resume(await persist("the inbox", this.#log, () => readDue(this.#database, condition, args)))
  }

  #resume(due: readonly Due[], isReplay = false): void {
    for (const {seq, conversation, handlers} of due) {
      this.#lanes.push(conversation, {seq, handlers, claimed: new Set(), stored: undefined, isReplay})
    }
  }

  async #sequenceOf(endpoint: string, id: string): Promise<number> {
    const [row] = await this.#database.read(
      `SELECT seq FROM inbox WHERE endpoint = ?1 AND event_id = ?2
       UNION ALL SELECT seq FROM inbox_keys WHERE endpoint = ?1 AND event_id = ?2`,
      [endpoint, id],
    )
    return Number(row?.seq)
  }

  async #handle(task: Task): Promise<Again | undefined> {
    const pause = await this.#handleAll(task).catch(error => {
      if (!isProblem(error, "stopping"))
        this.#log.error(`event ${task.seq} stays unhandled: ${messageOf(error)}`, {error})
      return undefined
    })
    if (pause !== undefined) return {again: pause}
    if (task.isReplay && --this.#replaying === 0) this.#lanes.setWidth(width)
    return undefined
  }

  /** Resolves to the pause after which a handler is to run again. */
  async #handleAll(task: Task): Promise<number | undefined> {
    const dispatch = this.#dispatch
    // What has the turn when the Host stops is left, as what runs then is.
    if (dispatch === undefined || this.#stopping) return undefined
    const stored = task.stored ?? (await this.#read(task.seq))
    return runChain(this.#attempts, dispatch, stored, task)
  }

  async #read(seq: number): Promise<StoredEvent> {
    const [row] = await persist(`event ${seq}`, this.#log, () =>
      this.#database.read("SELECT endpoint, event FROM inbox WHERE seq = ?", [seq]),
    )
    if (row === undefined) throw new Problem("inbox_unknown", `there is no inbox event ${seq}`)
    return {endpoint: String(row.endpoint), event: {...JSON.parse(String(row.event)), sn: seq}}
  }
}

const isUnknown = (error: unknown) => isProblem(error, "database_outcome_unknown")
