import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import {type EventRow, tellingAll} from "./telling.ts"

/** How many events may wait for a failing database. Beyond this, the oldest are dropped and counted. */
const most = 1000

/** Events of changes not stored otherwise: in order, in groups, when the database accepts them. Nobody waits. */
export class EventQueue {
  readonly #database: Database
  readonly #log: Log
  #waiting: EventRow[] = []
  #storing: Promise<void> | undefined
  /** Events that were dropped, or that the database refused. */
  dropped = 0

  constructor(database: Database, log: Log) {
    this.#database = database
    this.#log = log
  }

  push(row: EventRow): void {
    this.#waiting.push(row)
    if (this.#waiting.length > most) {
      this.#waiting.shift()
      this.dropped++
    }
    this.#storing ??= this.#drain()
  }

  /** Resolves when no event waits to be stored. */
  async idle(): Promise<void> {
    while (this.#storing !== undefined) await this.#storing
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const rows = this.#waiting.splice(0)
      await this.#store(rows).catch(error => {
        this.dropped += rows.length
        this.#log.warn(`could not store ${rows.length} events: ${messageOf(error)}`)
      })
    }
    this.#storing = undefined
  }

  async #store(rows: readonly EventRow[]): Promise<void> {
    let isAgain = false
    await persist("the event log", this.#log, async () => {
      if (isAgain && (await this.#hasStored(rows))) return
      isAgain = true
      await this.#database.write([tellingAll(rows)])
    })
  }

  /** True if the group of an unknown outcome was stored. */
  async #hasStored([first]: readonly EventRow[]): Promise<boolean> {
    if (first === undefined) return true
    const {type, at, data} = first
    const found = await this.#database.read(
      `SELECT 1 FROM events WHERE offset > (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events') - 10000
        AND at = ? AND type = ? AND data = ? LIMIT 1`,
      [at, type, data],
    )
    return found.length > 0
  }
}
