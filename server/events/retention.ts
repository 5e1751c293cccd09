import {setImmediate as turn} from "node:timers/promises"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Database, Statement} from "../database/database.ts"
import {readNumber} from "../database/engine/cells.ts"
import {Periodic} from "../runtime/flow/periodic.ts"
import type {EventLog} from "./log.ts"

/** The limits: number of events, bytes, and age in milliseconds. */
export interface Limits {
  readonly events: number
  readonly bytes: number
  readonly age: number
}

/** The intervals of the checks while something is stored, and otherwise, in milliseconds. */
const every = 1000
const restful = 10_000

/** Events of one statement: writers wait for it. */
const chunk = 2000

/** The size of an event without its data, in bytes: other columns and its place in the table. */
const overhead = 100

const sizeOf = (condition: string) =>
  `(SELECT coalesce(sum(length(CAST(data AS BLOB)) + ${overhead}), 0) FROM events WHERE ${condition})`

/** Deletes the oldest events, in small steps, while the log exceeds the limits for number, size or age. */
export class EventRetention {
  readonly #database: Database
  readonly #events: EventLog
  readonly #limits: () => Limits
  readonly #periodic: Periodic
  #unobserve = () => {}
  #hasMore = true
  #sweptAt = 0
  /** The kept bytes, and the head at which they were counted. */
  #counted = {head: -1, evictedTo: -1, bytes: 0}

  constructor(database: Database, events: EventLog, log: Log, limits: () => Limits) {
    this.#database = database
    this.#events = events
    this.#limits = limits
    this.#periodic = new Periodic(
      every,
      () => this.#look(),
      error => log.warn(`deleting old events failed: ${messageOf(error)}`),
    )
  }

  start(): void {
    this.#unobserve = this.#database.observe({
      committed: () => {
        this.#hasMore = true
      },
    })
    this.#periodic.start()
  }

  stop(): Promise<void> {
    this.#unobserve()
    return this.#periodic.stop()
  }

  async #look(): Promise<void> {
    const now = performance.now()
    if (!this.#hasMore && now - this.#sweptAt < restful) return
    this.#hasMore = false
    this.#sweptAt = now
    await this.sweep()
  }

  /** Resolves when the log is within its limits. */
  async sweep(now = Date.now()): Promise<void> {
    for (;;) {
      const to = await this.#surplus(now)
      if (to === undefined) return
      await this.#evict(to)
      await turn()
    }
  }

  /** Returns the last offset of the next step; undefined if nothing exceeds the limits. */
  async #surplus(now: number): Promise<number | undefined> {
    const limits = this.#limits()
    const {head, evictedTo} = await this.#events.extent()
    if (head === evictedTo) return undefined
    const most = Math.min(evictedTo + chunk, head)
    if (head - evictedTo > limits.events) return Math.min(most, head - limits.events)
    if ((await this.#count(head, evictedTo)) > limits.bytes)
      return Math.min(most, evictedTo + Math.ceil((head - evictedTo) / 20))
    const [row] = await this.#database.read(
      `SELECT min(CASE WHEN at >= ? THEN offset END) AS young, min(offset) AS oldest
        FROM (SELECT offset, at FROM events WHERE offset > ? ORDER BY offset LIMIT ?)`,
      [now - limits.age, evictedTo, chunk],
    )
    if (row?.oldest === null || row?.oldest === undefined) return head
    if (row.young === null) return most
    const to = Number(row.young) - 1
    return to > evictedTo && Number(row.oldest) <= to ? to : undefined
  }

  /** Returns the kept bytes. Counts only what was appended since the last call. */
  async #count(head: number, evictedTo: number): Promise<number> {
    if (head !== this.#counted.head || evictedTo !== this.#counted.evictedTo)
      this.#counted = {head, evictedTo, bytes: await this.#measure(head)}
    return this.#counted.bytes
  }

  async #measure(head: number): Promise<number> {
    for (;;) {
      const [row] = await this.#database.read("SELECT counted_to, bytes FROM event_retention")
      const [counted, bytes] = [Number(row?.counted_to), Number(row?.bytes)]
      if (head - counted < chunk)
        return bytes + (await readNumber(this.#database, `SELECT ${sizeOf("offset > ?")} AS n`, [counted]))
      await this.#database.write([countingTo(counted + chunk)])
      await turn()
    }
  }

  async #evict(to: number): Promise<void> {
    this.#events.evicting(to)
    await this.#database.write([
      {
        sql: `UPDATE event_retention SET bytes = bytes - ${sizeOf("offset <= min(?1, counted_to)")},
          counted_to = max(counted_to, ?1), evicted_to = ?1`,
        args: [to],
      },
      {sql: "DELETE FROM events WHERE offset <= ?", args: [to]},
      {
        sql: "DELETE FROM event_contexts WHERE id < (SELECT coalesce((SELECT context FROM events ORDER BY offset LIMIT 1), max(id)) FROM event_contexts)",
      },
    ])
  }
}

const countingTo = (to: number): Statement => ({
  sql: `UPDATE event_retention SET bytes = bytes + ${sizeOf("offset > counted_to AND offset <= ?1")}, counted_to = ?1`,
  args: [to],
})
