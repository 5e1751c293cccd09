import type {DraftCheck, TimerChange, TimerDraft, TimerDraftCheck} from "../../../shared/api/scheduled/drafts.ts"
import {fromJson, omitUndefined, toJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import type {ListedTimer, TimerOptions, TimerPlace, When} from "../../../shared/sdk/session/timer.ts"
import {fieldsOf, longestKept, readJson, readKey} from "../../../shared/sdk/session/values.ts"
import type {Database, Row, Statement} from "../../database/database.ts"
import {textOrNull} from "../../database/lists/pages.ts"
import {groupCommitted, persist, writeIf} from "../../database/persist.ts"
import type {Around, Firing} from "../../inbox/firing.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import {DueClock} from "../../runtime/flow/due-clock.ts"
import {uuid} from "../../runtime/uuid.ts"
import {Calculator} from "../times/calculator.ts"
import {
  act,
  addTimer,
  changeTimer,
  checkTimerDraft,
  placeOf,
  type TimerAction,
  type TimerSelection,
  timerRevision,
  whenOf,
} from "./operator.ts"
import {
  assertDue,
  type Change,
  changing,
  clearing,
  listing,
  type Place,
  rearming,
  requireTimer,
  selectDue,
  selectNext,
  setting,
  someFailed,
} from "./rows.ts"
import {nextDue, readWhen} from "./when.ts"

export interface TimerKind {
  /** The handler id that the mark of a firing carries. */
  readonly id: string
  readonly missed: "once" | "skip"
  /** Returns what is wrong with data for this timer; undefined if it fits. */
  problemOf(data: unknown): string | undefined
}

export interface TimersOptions {
  readonly database: Database
  readonly log: Log
  readonly clock: Clock
  readonly find: (plugin: string, name: string) => TimerKind | undefined
  /** Returns all timers of the running generation. */
  readonly declared: () => readonly (readonly [plugin: string, name: string])[]
  /** Resolves when no change of generation is in progress. */
  readonly idle: () => Promise<unknown>
  readonly isPaused: () => boolean
  /** Stores events for handlers in one batch with these statements. Throws `database_refused` if one of them fails. */
  readonly fire: (firings: readonly Firing[], around: Around) => Promise<void>
}

export interface Setting {
  readonly id: string
  readonly statements: readonly Statement[]
  /** Call it once the statements are durable. */
  stored(): void
}

/** A timer that is this late, in milliseconds, has missed its time. */
const grace = 60_000

/**
 * The timers of plugins. Each is a row, and one clock wakes for the earliest. A firing is an inbox event, stored in one
 * batch with the change of its timer, so a timer fires once for each due time, even if the Host is killed.
 */
export class Timers {
  readonly #options: TimersOptions
  readonly #clock: Clock
  readonly #calculator = new Calculator()
  readonly #due: DueClock

  constructor(options: TimersOptions) {
    const {log, clock} = options
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

  get isIdle(): boolean {
    return !this.#due.isFiring
  }

  /** Call it when ingress is open again, or when timers were stored. */
  consider(at = 0): void {
    this.#due.consider(at)
  }

  /** Call it when another generation runs: timers that failed without a handler wait again if it exists now. */
  async generationChanged(): Promise<void> {
    const {database, log, declared} = this.#options
    const [armed] = await persist("timers", log, () => writeIf(database, someFailed, [rearming(declared())]))
    if (armed !== undefined && armed.rows.length > 0) this.consider()
  }

  /** Prepares a timer to be stored. Throws `timer_unknown`, `timer_invalid`. */
  prepare(plugin: string, name: string, when: When, data: unknown, place: Place, {key}: TimerOptions = {}): Setting {
    const {missed, kept} = this.#fit(plugin, name, data)
    const now = this.#clock.now()
    const plan = readWhen(when, now, this.#calculator)
    const id = uuid()
    const own = {id, plugin, name, key: readKey(key, "timer_invalid") ?? null, missed, data: kept}
    return {id, statements: setting({...plan, ...own, place, at: now}), stored: () => this.consider(plan.due)}
  }

  /** Runs an operator's action. Throws `timer_unknown`, `timer_state`. */
  async act(action: TimerAction, on: TimerSelection): Promise<number> {
    const count = await act(this.#options.database, action, on)
    if (action === "release") this.consider()
    return count
  }

  /** Checks a timer that an operator is typing; it stores nothing. */
  check({timer, ...asked}: TimerDraftCheck): DraftCheck {
    return checkTimerDraft(timer, this.#clock.now(), asked, ({plugin, name, data}) => {
      const kind = this.#options.find(plugin, name)
      if (kind === undefined) return [{path: "name", message: `${plugin} declares no timer "${name}"`}]
      const wrong = kind.problemOf(fromJson(toJson(data ?? null)))
      return wrong === undefined ? [] : [{path: "data", message: wrong}]
    })
  }

  /** Sets a timer for its plugin. Resolves to its id. Throws `timer_unknown`, `timer_invalid`, `conflict`. */
  async add(draft: TimerDraft): Promise<string> {
    const {plugin, name, when, data, key} = draft
    const options = key === undefined ? {} : {key}
    const setting = this.prepare(plugin, name, whenOf(when, this.#clock.now()), data, placeOf(draft), options)
    await addTimer(this.#options.database, setting.statements, plugin, key)
    setting.stored()
    return setting.id
  }

  /** Changes the time or the data of a timer. Throws `timer_unknown`, `timer_invalid`, `conflict`. */
  async change(id: string, {when, data, expectedRevision}: TimerChange): Promise<void> {
    const {database} = this.#options
    const row = await requireTimer(database, id)
    if (expectedRevision !== undefined && expectedRevision !== timerRevision(row)) {
      throw new Problem("conflict", `its plugin or somebody else has changed timer ${id}`)
    }
    const kept = data === undefined ? String(row.data) : this.#fit(String(row.plugin), String(row.name), data).kept
    const now = this.#clock.now()
    const before = {due: Number(row.due_at), schedule: textOrNull(row.schedule), timezone: textOrNull(row.timezone)}
    const plan = when === undefined ? before : readWhen(whenOf(when, now), now, this.#calculator)
    await changeTimer(database, row, plan, kept)
    this.consider(plan.due)
  }

  /** Returns a declared timer, and the JSON of data that fits it. Throws `timer_unknown`, `timer_invalid`. */
  #fit(plugin: string, name: string, data: unknown): {readonly missed: TimerKind["missed"]; readonly kept: string} {
    const kind = this.#require(plugin, name)
    const kept = data === undefined ? "null" : readJson(`the data of timer "${name}"`, data, "timer_invalid")
    const wrong =
      kept.length > longestKept ? `it has more than ${longestKept} characters as JSON` : kind.problemOf(fromJson(kept))
    if (wrong !== undefined) throw new Problem("timer_invalid", `the data of timer "${name}" does not fit: ${wrong}`)
    return {missed: kind.missed, kept}
  }

  clearing(plugin: string, timer: string | Pick<ListedTimer, "id">): Statement {
    if (typeof timer !== "object") return clearing(plugin, "key", readKey(timer, "timer_invalid") ?? "")
    return clearing(plugin, "id", String(fieldsOf(timer).id))
  }

  /** Returns timers whose data fits, of one conversation or all of the plugin. Throws `timer_unknown`. */
  async list(plugin: string, name: string, of?: TimerPlace): Promise<readonly ListedTimer[]> {
    const kind = this.#require(plugin, name)
    const {sql, args} = listing(plugin, name, of)
    const rows = await this.#options.database.read(sql, args)
    const timers = rows.map(
      ({id, key, due_at, schedule, data, state}): ListedTimer => ({
        id: String(id),
        key: textOrNull(key) ?? undefined,
        due: Number(due_at),
        repeats: schedule !== null,
        data: fromJson(String(data)),
        state: state as ListedTimer["state"],
      }),
    )
    return timers.filter(({data}) => kind.problemOf(data) === undefined)
  }

  #require(plugin: string, name: string): TimerKind {
    const kind = this.#options.find(plugin, name)
    if (kind === undefined) throw new Problem("timer_unknown", `${plugin} declares no timer "${name}"`)
    return kind
  }

  async #next(): Promise<number | undefined> {
    const {database, log, isPaused} = this.#options
    if (isPaused()) return undefined
    const [row] = await persist("timers", log, () => database.read(selectNext))
    return row && Number(row.at)
  }

  async #fire(now: number): Promise<void> {
    const {database, log, idle, find, fire} = this.#options
    const rows = await persist("timers", log, () => database.read(selectDue, [now]))
    const kindOf = (row: Row) => find(String(row.plugin), String(row.name))
    // A plugin may have failed, and another instance may be about to replace it.
    if (rows.some(row => kindOf(row) === undefined)) await idle()
    const changes = rows.map(row => this.#change(row, kindOf(row), now))
    for (const {row, to} of changes)
      if (to.is === "failed")
        log.error(`timer ${row.id} of ${row.plugin} failed and is kept: ${to.reason}`, {timer: String(row.id)})
    const firings = changes.flatMap(({row, fired}) => (fired === undefined ? [] : [firingOf(row, fired)]))
    const around = {before: [assertDue(changes)], after: changing(changes, now)}
    await persist("timers", log, () => fire(firings, around)).catch(async error => {
      if (!isProblem(error, "database_refused")) throw error
      // If one of them was cleared meanwhile, the Host reads the page again.
      await groupCommitted(database)
      if (toJson(await database.read(selectDue, [now])) === toJson(rows)) throw error
    })
  }

  #change(row: Row, kind: TimerKind | undefined, now: number): Change {
    if (kind === undefined) return {row, to: {is: "failed", reason: "handler_unknown"}}
    const wrong = kind.problemOf(fromJson(String(row.data)))
    if (wrong !== undefined) return {row, to: {is: "failed", reason: `data_invalid: ${wrong}`}}
    const due = Number(row.due_at)
    const plan = {due, schedule: textOrNull(row.schedule), timezone: textOrNull(row.timezone)}
    const next = nextDue(plan, now, this.#calculator)
    const fired = row.missed !== "skip" || now - due <= grace ? kind.id : undefined
    return {row, to: next === undefined ? {is: "over"} : {is: "waiting", due: next}, fired}
  }
}

const firingOf = (row: Row, handler: string): Firing => {
  const {id, name, key} = row
  const {channel, user} = fromJson(String(row.place)) as Place
  const due = Number(row.due_at)
  return {
    endpoint: textOrNull(row.endpoint) ?? "timer",
    id: `timer:${id}@${due}`,
    type: "timer",
    timestamp: due,
    conversation: channel?.id ?? user?.id ?? String(id),
    handler,
    ...omitUndefined({channel, user}),
    data: {timer: id, name, key, data: fromJson(String(row.data))},
  }
}
