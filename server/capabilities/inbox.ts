import type {Incoming, Receipt} from "../../shared/adapter.ts"
import type {Log} from "../../shared/log.ts"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import type {Backoff} from "../runtime/backoff.ts"
import {Attempts} from "./attempts.ts"
import {runChain} from "./chain.ts"
import type {Endpoint} from "./endpoint.ts"
import type {Dispatch, StoredEvent} from "./handling.ts"
import {act, type InboxAction, type InboxChange, type InboxSelection} from "./inbox-actions.ts"
import {toEvent} from "./incoming.ts"
import {type Again, Lanes} from "./lanes.ts"
import {type Due, readDue, takeOver} from "./marks.ts"
import type {Outbox} from "./outbox.ts"
import {Prompts} from "./prompts.ts"

interface Task {
  readonly seq: number
  readonly handlers: readonly string[]
  /** Kept while the backlog is short; read again where it is not. */
  readonly stored: StoredEvent | undefined
  /** Left by an earlier run. */
  readonly isReplay: boolean
}

/** The pauses before a handler with `retries` runs again. */
const retry: Backoff = {first: 500, longest: 30_000}

/** Conversations that are handled side by side. */
const width = 64

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
  #dispatch: Dispatch | undefined
  #stopping = false
  /** Events whose storing had an unknown outcome, by endpoint and platform id. */
  readonly #unsettled = new Set<string>()
  /** Events that are replayed after a crash, and not handled yet. */
  #replaying = 0

  constructor(database: Database, outbox: Outbox, runtimeId: string, log: Log, pauses = retry) {
    this.#database = database
    this.#log = log
    this.#lanes = new Lanes(width, task => this.#handle(task))
    this.#prompts = new Prompts(database, log)
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
    await this.#prompts.start()
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
    const asked = this.#prompts.find(name, event)
    const handlers = this.#dispatch?.match(event, asked?.handler) ?? []
    const question = asked !== undefined && handlers.includes(asked.handler) ? asked : undefined
    if (question !== undefined) this.#prompts.take(question)
    const conversation = `${name}/${incoming.channel?.id ?? incoming.user?.id ?? ""}`
    const raw = incoming.raw === undefined ? null : JSON.stringify(incoming.raw)
    const {sn: _, ...stored} = event
    const key = JSON.stringify([name, incoming.id])
    // Whoever takes the key out hands the event to its handlers, if it turns out to be stored.
    const wasUnsettled = this.#unsettled.delete(key)
    const storing = this.#database.write([
      {
        sql: `INSERT INTO inbox (endpoint, event_id, conversation, type, received_at, event, raw) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (endpoint, event_id) DO NOTHING RETURNING seq`,
        args: [name, incoming.id, conversation, event.type, Date.now(), JSON.stringify(stored), raw],
      },
      {
        sql: "INSERT INTO inbox_marks (seq, handler) SELECT last_insert_rowid(), value FROM json_each(?) WHERE changes() > 0",
        args: [JSON.stringify(handlers)],
      },
      ...(question === undefined ? [] : [this.#prompts.answering(question, name, incoming.id)]),
    ])
    const [inserted, , answered] = await storing.catch(error => {
      if (wasUnsettled || isUnknown(error)) void this.#settle(key, name, incoming.id).catch(() => {})
      if (question !== undefined) void this.#prompts.recheck(question).catch(() => {})
      throw error
    })
    if (question !== undefined && answered?.rows.length !== 1) await this.#prompts.recheck(question)
    const row = inserted?.rows[0]
    if (row === undefined) {
      if (wasUnsettled) await this.#settle(key, name, incoming.id)
      return {sn: await this.#sequenceOf(name, incoming.id), duplicate: true}
    }
    const seq = Number(row.seq)
    if (handlers.length > 0) {
      const kept = this.#lanes.length < keptInMemory ? {endpoint: name, event: {...event, sn: seq}} : undefined
      this.#lanes.push(conversation, {seq, handlers, stored: kept, isReplay: false})
    }
    return {sn: seq, duplicate: false}
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

  /** Finds out whether an event was stored though its storing seemed to fail; if so, it is handled like any other. */
  async #settle(key: string, endpoint: string, id: string): Promise<void> {
    this.#unsettled.add(key)
    const [due] = await persist(`event ${id}`, this.#log, () =>
      readDue(this.#database, "i.endpoint = ? AND i.event_id = ?", [endpoint, id]),
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
      this.#lanes.push(conversation, {seq, handlers, stored: undefined, isReplay})
    }
  }

  async #sequenceOf(endpoint: string, id: string): Promise<number> {
    const [row] = await this.#database.read("SELECT seq FROM inbox WHERE endpoint = ? AND event_id = ?", [endpoint, id])
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
    if (dispatch === undefined) return undefined
    const stored = task.stored ?? (await this.#read(task.seq))
    return runChain(this.#attempts, dispatch, stored, task.handlers)
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
