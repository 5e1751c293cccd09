import type {Raise} from "../../shared/events/events.ts"
import type {Log} from "../../shared/log.ts"
import type {Database, Reader, Row} from "../database/database.ts"
import {numberIn, readCell, readNumber, textIn} from "../database/engine/cells.ts"
import {EventQueue} from "./queue.ts"
import {type Hide, toRow} from "./telling.ts"

/** An event as it is stored. `at` is in milliseconds since 1970; `data` is JSON text. */
export type StoredEvent = Readonly<ReturnType<typeof toStored>>

/** The content of the log: all events after `evictedTo`, up to and including `head`. */
export interface Extent {
  readonly head: number
  readonly evictedTo: number
}

const columns = `e.offset, e.type, e.at, e.endpoint, e.run_id, e.data, c.runtime_id, c.generation
  FROM events e LEFT JOIN event_contexts c ON c.id = e.context`

const select = `SELECT ${columns} WHERE e.offset > ? ORDER BY e.offset LIMIT ?`

const selectAbout = `SELECT ${columns} WHERE e.offset > ? AND e.offset <= ? AND e.data ->> 'sn' = ? ORDER BY e.offset`

/** The durable, append-only event log. No offset is used twice. */
export class EventLog {
  readonly #database: Database
  readonly #hide: Hide | undefined
  readonly #queue: EventQueue
  #evictedTo = 0
  /** The authority with which it is stamped. */
  authority: string | undefined

  /** `hide` removes the values of secrets from the JSON of raised events. */
  constructor(database: Database, log: Log, hide?: Hide) {
    this.#database = database
    this.#hide = hide
    this.#queue = new EventQueue(database, log)
  }

  /** Call it before the first `extent`. */
  async start(): Promise<void> {
    const [row] = await this.#database.read("SELECT evicted_to, authority FROM event_retention")
    this.#evictedTo = Number(row?.evicted_to ?? 0)
    this.authority = textIn(row?.authority)
  }

  /** Raises an event for a change that is not stored otherwise. A stored change puts `telling` into its batch. */
  readonly raise: Raise = (type, data, about) => this.#queue.push(toRow(type, data, about, this.#hide))

  /** Resolves when all raised events are stored. */
  idle(): Promise<void> {
    return this.#queue.idle()
  }

  /** How many raised events could not be stored. */
  get dropped(): number {
    return this.#queue.dropped
  }

  /** Everything up to here is deleted, or is being deleted. */
  get evictedTo(): number {
    return this.#evictedTo
  }

  /** Call it before events are deleted, so that no reader believes that it has read all of them. */
  evicting(to: number): void {
    this.#evictedTo = Math.max(this.#evictedTo, to)
  }

  async extent(): Promise<Extent> {
    const head = await readNumber(this.#database, "SELECT max(seq) AS n FROM sqlite_sequence WHERE name = 'events'")
    return {head, evictedTo: this.#evictedTo}
  }

  /** Returns at most `limit` events after an offset, in order. */
  async read(after: number, limit: number): Promise<readonly StoredEvent[]> {
    return (await this.#database.read(select, [after, limit])).map(toStored)
  }

  /** Returns the events about an inbox event after one offset, up to and including another, in order. */
  async readAbout(seq: number, after: number, to: number): Promise<readonly StoredEvent[]> {
    return (await this.#database.read(selectAbout, [after, to, seq])).map(toStored)
  }

  /** Returns the time of the first event after an offset, in milliseconds since 1970; undefined if there is none. */
  async timeAfter(offset: number): Promise<number | undefined> {
    const next = "SELECT at FROM events WHERE offset > ? ORDER BY offset LIMIT 1"
    return numberIn(await readCell(this.#database, next, [offset]))
  }
}

/** Returns the offset of the newest kept event; 0 without one. */
export const readNewestEvent = (database: Reader): Promise<number> =>
  readNumber(database, "SELECT max(offset) AS n FROM events")

const toStored = (row: Row) => ({
  offset: Number(row.offset),
  type: String(row.type),
  at: Number(row.at),
  runtimeId: String(row.runtime_id),
  generation: Number(row.generation),
  endpoint: textIn(row.endpoint),
  runId: textIn(row.run_id),
  data: String(row.data),
})
