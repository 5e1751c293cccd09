import type {DatabaseCheck} from "../../../shared/api/database.ts"
import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import type {Damage} from "../../database/failing.ts"

/** When the first check runs, which a start must not wait for, and the interval after it, in milliseconds. */
const firstAfter = 20_000
const every = 24 * 60 * 60 * 1000

/** The least interval of checks because another program changed a file. */
const touchedEvery = 600_000

/** The tables without which no event can be stored and acknowledged. */
export const neededToAcknowledge: ReadonlySet<string> = new Set(
  `sqlite_schema sqlite_sequence svc_group inbox
  inbox_keys inbox_marks prompts buttons endpoint_cursors events event_contexts`.split(/\s+/),
)

export interface DamageWatchOptions {
  readonly database: Database
  readonly log: Log
  /** Called when a table is damaged that acknowledging needs: the Host must admit no events. */
  readonly onNeeded: () => void
}

/** Looks for damaged pages: after the start, every day, when asked, and at once after the first that SQLite meets. */
export class DamageWatch {
  readonly #options: DamageWatchOptions
  readonly #stop = new AbortController()
  #timers: readonly NodeJS.Timeout[] = []
  #unobserve = () => {}
  #running: Promise<DatabaseCheck> | undefined
  #next: Promise<DatabaseCheck> | undefined
  #touchedAt = Number.NEGATIVE_INFINITY

  constructor(options: DamageWatchOptions) {
    this.#options = options
  }

  start(): void {
    const {database} = this.#options
    if (database.state.is === "initialized" && database.state.damage !== undefined) this.#heard(database.state.damage)
    this.#unobserve = database.observe({damaged: damage => this.#heard(damage), touched: () => this.#touched()})
    this.#timers = [setTimeout(() => this.#look(), firstAfter), setInterval(() => this.#look(), every)]
    for (const timer of this.#timers) timer.unref()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#unobserve()
    await Promise.allSettled([this.#running])
  }

  /** Checks every table, after a check in progress: that one may have passed a table that was damaged since. */
  check(): Promise<DatabaseCheck> {
    this.#next ??= Promise.allSettled([this.#running]).then(() => {
      this.#next = undefined
      this.#running = this.#options.database.check(this.#stop.signal)
      return this.#running
    })
    return this.#next
  }

  #look(): void {
    const {log} = this.#options
    this.check().then(
      ({unchecked}) => {
        if (unchecked.length > 0) log.warn("the check of the database left out busy tables", {tables: unchecked.join()})
      },
      error => {
        if (!this.#stop.signal.aborted) log.warn(`the check of the database failed: ${messageOf(error)}`)
      },
    )
  }

  #touched(): void {
    const now = performance.now()
    if (now - this.#touchedAt < touchedEvery) return
    this.#touchedAt = now
    this.#options.log.warn("another program has written to the database file, or changed its time; the Host checks it")
    this.#look()
  }

  #heard({tables, message}: Damage): void {
    const {log, onNeeded} = this.#options
    log.error(`the database is damaged: ${message}`, {tables: tables.join() || "unknown"})
    if (tables.length === 0) this.#look()
    else if (tables.some(table => neededToAcknowledge.has(table))) onNeeded()
  }
}
