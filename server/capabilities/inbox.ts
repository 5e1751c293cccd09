import type {Log} from "../../shared/log.ts"
import type {Incoming, Receipt, Statement} from "../../shared/plugin.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import type {SatoriEvent} from "../../shared/satori.ts"
import {assertThat, type Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import type {Endpoint} from "./endpoint.ts"
import {toEvent} from "./incoming.ts"
import {Lanes} from "./lanes.ts"
import type {Outbox, OutboxDraft} from "./outbox.ts"

/** An event as it is handed to its handlers: stored, with its sequence. */
export type StoredEvent = {readonly endpoint: string; readonly event: SatoriEvent}

export type Outcome =
  | {readonly is: "handled"; readonly sends: readonly OutboxDraft[]}
  | {readonly is: "failed"; readonly error: string}
  /** The handler's plugin instance was disposed before the handler had ended. */
  | {readonly is: "interrupted"}

/** What the running generation does with events; passed in by the composition root. */
export interface Dispatch {
  /** The ids of the handlers that an event is for. */
  match(event: SatoriEvent): readonly string[]
  /** Runs one handler to its end; never rejects. */
  run(stored: StoredEvent, handler: string): Promise<Outcome>
}

interface Task {
  readonly seq: number
  readonly handlers: readonly string[]
  /** Kept while the backlog is short; read again where it is not. */
  readonly stored: StoredEvent | undefined
  /** Left by an earlier run. */
  readonly isReplay: boolean
}

/** Conversations that are handled side by side. */
const width = 64

/** Events of a backlog longer than this are read again when their turn comes, not kept in memory. */
const keptInMemory = 1000

const claim = `UPDATE inbox_marks SET state = 'running', attempt = attempt + 1, runtime_id = ?, started_at = ?
  WHERE seq = ? AND handler = ? AND state IN ('pending', 'running') RETURNING attempt`
const finish = `UPDATE inbox_marks SET state = ?, ended_at = ?, error = ?
  WHERE seq = ? AND handler = ? AND state = 'running' AND attempt = ?`
/** What a run that ended without a word left running, and had left running before. */
const bury = `UPDATE inbox_marks SET state = 'dead', ended_at = ?, error = 'suspected_crash'
  WHERE state = 'running' AND attempt >= 2 AND runtime_id IN (SELECT runtime_id FROM svc_runs WHERE ended_at IS NULL)
  RETURNING seq, handler`
const backlog = `SELECT m.seq, i.conversation, json_group_array(m.handler) AS handlers,
    max(m.state = 'running' AND r.ended_at IS NULL) AS crashed
  FROM inbox_marks m JOIN inbox i USING (seq) LEFT JOIN svc_runs r USING (runtime_id)
  WHERE m.state IN ('pending', 'running') GROUP BY m.seq ORDER BY m.seq`
const isRunning =
  "EXISTS (SELECT 1 FROM inbox_marks WHERE seq = ? AND handler = ? AND state = 'running' AND attempt = ?)"

/**
 * The durable inbox. An event is stored, with one mark for each of its handlers, before its platform hears of it; one
 * conversation is handled in the order of its events, conversations side by side; what a handler sends is stored in one
 * batch with its mark.
 */
export class Inbox {
  readonly #database: Database
  readonly #outbox: Outbox
  readonly #runtimeId: string
  readonly #log: Log
  readonly #lanes: Lanes<Task>
  #dispatch: Dispatch | undefined
  #stopping = false
  /** Events whose storing had an unknown outcome, by endpoint and platform id. */
  readonly #unsettled = new Set<string>()
  /** Events that are replayed after a crash, and not handled yet. */
  #replaying = 0

  constructor(database: Database, outbox: Outbox, runtimeId: string, log: Log) {
    this.#database = database
    this.#outbox = outbox
    this.#runtimeId = runtimeId
    this.#log = log
    this.#lanes = new Lanes(width, task => this.#handle(task))
  }

  /**
   * Begins with what earlier runs left unhandled, in its order; one event at a time where the Host may have ended because
   * of one. What was running when the Host so ended twice is dead. Call it before the first `receive`.
   */
  async start(dispatch: Dispatch): Promise<void> {
    this.#dispatch = dispatch
    const [buried] = await this.#database.write([{sql: bury, args: [Date.now()]}])
    for (const {seq, handler} of buried?.rows ?? []) {
      this.#log.error(`event ${seq} is not given to ${handler} again: the Host ended twice while it ran`)
    }
    const rows = await this.#database.read(backlog)
    if (rows.length > 0) this.#log.info(`handling ${rows.length} events that earlier runs left unhandled`)
    if (rows.some(({crashed}) => crashed === 1)) {
      this.#replaying = rows.length
      this.#lanes.setWidth(1)
    }
    for (const row of rows) {
      const handlers = JSON.parse(String(row.handlers)) as string[]
      this.#lanes.push(String(row.conversation), {seq: Number(row.seq), handlers, stored: undefined, isReplay: true})
    }
  }

  /** Resolves once the event is durable. The same platform id again is stored once. Throws `event_invalid`. */
  async receive(endpoint: Endpoint, incoming: Incoming): Promise<Receipt> {
    const {name} = endpoint.spec
    const event = toEvent(endpoint, incoming)
    const handlers = this.#dispatch?.match(event) ?? []
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
    ])
    const [inserted] = await storing.catch(error => {
      if (wasUnsettled || isUnknown(error)) void this.#settle(key, name, incoming.id).catch(() => {})
      throw error
    })
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

  /** Starts no further handler; resolves when those that run have ended. One that is cut short runs again next time. */
  async drain(): Promise<void> {
    this.#stopping = true
    this.#lanes.pause()
    await this.#lanes.settled()
  }

  /** Finds out whether an event was stored though its storing seemed to fail; if so, it is handled like any other. */
  async #settle(key: string, endpoint: string, id: string): Promise<void> {
    this.#unsettled.add(key)
    const [row] = await persist(`event ${id}`, this.#log, () =>
      this.#database.read(
        `SELECT i.seq, i.conversation, json_group_array(m.handler) AS handlers FROM inbox i JOIN inbox_marks m USING (seq)
         WHERE i.endpoint = ? AND i.event_id = ? AND m.state = 'pending' GROUP BY i.seq`,
        [endpoint, id],
      ),
    )
    if (!this.#unsettled.delete(key) || row === undefined) return
    const handlers = JSON.parse(String(row.handlers)) as string[]
    this.#lanes.push(String(row.conversation), {seq: Number(row.seq), handlers, stored: undefined, isReplay: false})
  }

  async #sequenceOf(endpoint: string, id: string): Promise<number> {
    const [row] = await this.#database.read("SELECT seq FROM inbox WHERE endpoint = ? AND event_id = ?", [endpoint, id])
    return Number(row?.seq)
  }

  async #handle(task: Task): Promise<void> {
    try {
      const stored = task.stored ?? (await this.#read(task.seq))
      await Promise.all(task.handlers.map(handler => this.#handleOne(task.seq, stored, handler)))
    } catch (error) {
      const isClosed = error instanceof Problem && error.code === "stopping"
      if (!isClosed) this.#log.error(`event ${task.seq} stays unhandled: ${messageOf(error)}`, {error})
    }
    if (task.isReplay && --this.#replaying === 0) this.#lanes.setWidth(width)
  }

  /** Marks the handler as running, durably, then runs it: a crash leaves the mark behind. */
  async #handleOne(seq: number, stored: StoredEvent, handler: string): Promise<void> {
    const [claimed] = await this.#persist(seq, () =>
      this.#database.write([{sql: claim, args: [this.#runtimeId, Date.now(), seq, handler]}]),
    )
    const attempt = claimed?.rows[0]?.attempt
    if (attempt === undefined || this.#dispatch === undefined) return
    const outcome = await this.#dispatch.run(stored, handler)
    if (outcome.is === "interrupted" && this.#stopping) return
    const {state, error, sends} = endOf(outcome)
    const finishAs = (state: string, error: string | null): Statement => ({
      sql: finish,
      args: [state, Date.now(), error, seq, handler, attempt],
    })
    const batch: Statement[] = [
      assertThat(isRunning, [seq, handler, attempt]),
      ...sends.map((draft, ordinal) => this.#outbox.insertion(draft, {seq, handler, ordinal})),
      finishAs(state, error),
    ]
    await this.#persist(seq, () => this.#database.write(batch)).catch(refusal => {
      if (!(refusal instanceof Problem) || refusal.code !== "database_refused") throw refusal
      // Its sends are at fault; or it is stored already, by an attempt whose answer was lost: then this changes nothing.
      return this.#persist(seq, () => this.#database.write([finishAs("failed", refusal.message)]))
    })
    this.#outbox.stored(sends)
  }

  #persist<T>(seq: number, work: () => Promise<T>): Promise<T> {
    return persist(`event ${seq}`, this.#log, work)
  }

  async #read(seq: number): Promise<StoredEvent> {
    const [row] = await this.#persist(seq, () =>
      this.#database.read("SELECT endpoint, event FROM inbox WHERE seq = ?", [seq]),
    )
    if (row === undefined) throw new Problem("inbox_unknown", `there is no inbox event ${seq}`)
    return {endpoint: String(row.endpoint), event: {...JSON.parse(String(row.event)), sn: seq}}
  }
}

const isUnknown = (error: unknown) => error instanceof Problem && error.code === "database_outcome_unknown"

const endOf = (outcome: Outcome): {state: string; error: string | null; sends: readonly OutboxDraft[]} => {
  switch (outcome.is) {
    case "handled":
      return {state: "handled", error: null, sends: outcome.sends}
    case "failed":
      return {state: "failed", error: outcome.error, sends: []}
    case "interrupted":
      return {state: "failed", error: "its plugin instance was disposed before it had ended", sends: []}
  }
}
