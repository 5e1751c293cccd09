import {v7 as uuid} from "uuid"
import {fromJson, toJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import type {Row, Statement} from "../../../shared/sdk/plugin-database.ts"
import type {TimerOptions, When} from "../../../shared/sdk/timer.ts"
import type {Database} from "../../database/database.ts"
import {persist} from "../../database/persist.ts"
import {groupCommitted} from "../../database/write-if.ts"
import type {Firing} from "../../inbox/firing.ts"
import {type Clock, systemClock} from "../../runtime/flow/clock.ts"
import {DueClock} from "../../runtime/flow/due-clock.ts"
import {Calculator} from "../calculator.ts"
import {act, type TimerAction, type TimerSelection} from "./actions.ts"
import {
  assertDue,
  type Change,
  changing,
  clearing,
  type Place,
  rearming,
  selectDue,
  selectNext,
  setting,
} from "./rows.ts"
import {nextDue, readWhen} from "./when.ts"

/** A timer that a plugin declares, as setting and firing ask for it. */
export interface TimerKind {
  /** The handler id that the mark of a firing carries. */
  readonly id: string
  readonly missed: "once" | "skip"
  /** What keeps data from being this timer's; undefined where it fits. */
  problemOf(data: unknown): string | undefined
}

export interface TimersOptions {
  readonly database: Database
  readonly log: Log
  readonly clock?: Clock
  /** A timer of the running generation. */
  readonly find: (plugin: string, name: string) => TimerKind | undefined
  /** `<plugin>/<name>` of all timers of the running generation. */
  readonly names: () => readonly string[]
  /** Resolves when no change of what runs is under way. */
  readonly settled: () => Promise<unknown>
  readonly isPaused: () => boolean
  /** Stores events for handlers in one batch with these statements. Throws `database_refused` where one of them fails. */
  readonly fire: (firings: readonly Firing[], around: Around) => Promise<void>
}

export interface Around {
  readonly before: readonly Statement[]
  readonly after: readonly Statement[]
}

/** A timer that is about to be stored. */
export interface Setting {
  readonly id: string
  readonly statements: readonly Statement[]
  /** They are durable. */
  stored(): void
}

/** One that comes this much later than its time has missed it, in milliseconds. */
const grace = 60_000

/** A key may have so many characters, and the data of a timer so many. */
const longestKey = 200
const longestData = 64 * 1024

/**
 * The timers of plugins. Each is a row; one clock wakes for the earliest. A firing is an event of the inbox, stored in one
 * batch with the change of its timer: it fires once for each due time, whatever is killed when.
 */
export class Timers {
  readonly #options: TimersOptions
  readonly #clock: Clock
  readonly #calculator = new Calculator()
  readonly #due: DueClock

  constructor(options: TimersOptions) {
    const {log, clock = systemClock} = options
    this.#options = options
    this.#clock = clock
    this.#due = new DueClock({what: "a timer", log, clock, next: () => this.#next(), fire: now => this.#fire(now)})
  }

  start(): void {
    this.#due.start()
  }

  stop(): Promise<void> {
    return this.#due.stop()
  }

  /** Ingress is open again, or timers were stored. */
  consider(at = 0): void {
    this.#due.consider(at)
  }

  /** Another generation runs: what failed for want of a handler waits again where it has one. */
  async generationChanged(): Promise<void> {
    const {database, log, names} = this.#options
    const [armed] = await persist("timers", log, () => database.write([rearming(names())]))
    if (armed !== undefined && armed.rows.length > 0) this.consider()
  }

  /** Throws `timer_unknown`, `timer_invalid`. */
  prepare(plugin: string, name: string, when: When, data: unknown, place: Place, {key}: TimerOptions = {}): Setting {
    const kind = this.#options.find(plugin, name)
    if (kind === undefined) throw new Problem("timer_unknown", `${plugin} declares no timer "${name}"`)
    const kept = toJson(data ?? null) ?? "null"
    const wrong =
      kept.length > longestData ? `it has more than ${longestData} characters` : kind.problemOf(fromJson(kept))
    if (wrong !== undefined) throw new Problem("timer_invalid", `the data of timer "${name}" does not fit: ${wrong}`)
    const now = this.#clock.now()
    const plan = readWhen(when, now, this.#calculator)
    const id = uuid()
    const timer = {...plan, id, plugin, name, key: readKey(key), missed: kind.missed, data: kept, place, at: now}
    return {id, statements: setting(timer), stored: () => this.consider(plan.due)}
  }

  /** What an operator decides. Throws `timer_unknown`, `timer_state`. */
  async act(action: TimerAction, on: TimerSelection): Promise<number> {
    const count = await act(this.#options.database, action, on)
    if (action === "release") this.consider()
    return count
  }

  clearing(plugin: string, key: string): Statement {
    return clearing(plugin, readKey(key) ?? "")
  }

  async #next(): Promise<number | undefined> {
    const {database, log, isPaused} = this.#options
    if (isPaused()) return undefined
    const [row] = await persist("timers", log, () => database.read(selectNext))
    return row && Number(row.at)
  }

  async #fire(now: number): Promise<void> {
    const {database, log, settled, find, fire} = this.#options
    const rows = await persist("timers", log, () => database.read(selectDue, [now]))
    // A plugin may have failed, and another instance be about to take its place.
    if (rows.some(row => find(String(row.plugin), String(row.name)) === undefined)) await settled()
    const changes = rows.map(row => this.#change(row, now))
    for (const {row, to} of changes)
      if (to.is === "failed")
        log.error(`timer ${row.id} of ${row.plugin} is kept: ${to.reason}`, {timer: String(row.id)})
    const firings = changes.flatMap(({row, fired}) => (fired ? [this.#firingOf(row)] : []))
    const around = {before: [assertDue(changes)], after: changing(changes, now)}
    await persist("timers", log, () => fire(firings, around)).catch(async error => {
      // Where one of them was cleared meanwhile, the page is read again.
      await groupCommitted(database)
      if (!isProblem(error, "database_refused") || toJson(await database.read(selectDue, [now])) === toJson(rows))
        throw error
    })
  }

  #change(row: Row, now: number): Change {
    const kind = this.#options.find(String(row.plugin), String(row.name))
    const wrong = kind === undefined ? "handler_unknown" : kind.problemOf(fromJson(String(row.data)))
    if (wrong !== undefined) {
      const reason = kind === undefined ? wrong : `data_invalid: ${wrong}`
      return {row, to: {is: "failed", reason}, fired: false}
    }
    const due = Number(row.due_at)
    const plan = {due, schedule: textOf(row.schedule), timezone: textOf(row.timezone)}
    const next = nextDue(plan, now, this.#calculator)
    const fired = row.missed !== "skip" || now - due <= grace
    return {row, to: next === undefined ? {is: "over"} : {is: "waiting", due: next}, fired}
  }

  #firingOf(row: Row): Firing {
    const {id, name, key} = row
    const kind = this.#options.find(String(row.plugin), String(name))
    const {channel, user} = fromJson(String(row.place)) as Place
    const due = Number(row.due_at)
    return {
      endpoint: textOf(row.endpoint) ?? "timer",
      id: `timer:${id}@${due}`,
      type: "timer",
      timestamp: due,
      conversation: channel?.id ?? user?.id ?? String(id),
      handler: kind?.id ?? "",
      ...(channel === undefined ? {} : {channel}),
      ...(user === undefined ? {} : {user}),
      data: {timer: id, name, key, data: fromJson(String(row.data))},
    }
  }
}

const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

const readKey = (key: unknown): string | null => {
  if (key === undefined) return null
  if (typeof key === "string" && key !== "" && key.length <= longestKey && !key.includes("\0")) return key
  throw new Problem("timer_invalid", `the key of a timer is text of 1 to ${longestKey} characters, without NUL`)
}
