import type {Severity} from "../../../shared/alerts/items.ts"
import type {AlertRules} from "../../../shared/config/alerts.ts"
import {omitUndefined} from "../../../shared/json.ts"
import {uuid} from "../../runtime/uuid.ts"
import {type Condition, counts, keyOf, ruleOf, type Seen} from "./condition.ts"

/** The last message to a target about an alert. */
export interface Told {
  /** The id of the alert at that time. */
  readonly id: string
  readonly status: "firing" | "resolved"
  readonly at: number
}

/** One alert, as stored in the database. Times are in milliseconds since 1970. */
export interface AlertRecord extends Pick<Condition, "code" | "title" | "text" | "remediation" | "endpoint" | "runId"> {
  readonly key: string
  /** Different each time the alert is raised. */
  readonly id: string
  readonly severity: Severity
  readonly happens: boolean
  /** The last run of the Host that saw it. */
  readonly runtimeId: string
  readonly since: number
  readonly raisedAt: number
  /** Null while it is in force. */
  readonly until: number | null
  /** The last time it was raised, and earlier times within the hour before that. */
  readonly raises: readonly number[]
  /** By the name of the target. */
  readonly told: Readonly<Record<string, Told>>
}

export interface LedgerSettings {
  readonly rules: AlertRules
  /** Milliseconds. */
  readonly settle: number
  /** No alert is raised or resolved before this moment. */
  readonly steadyFrom: number
}

const hour = 3_600_000

/** How long a resolved alert is kept, in milliseconds. */
const keptFor = 24 * hour

/** The longest time after which a recurring alert is resolved. */
const longestSettle = hour

/** The changed records; undefined for a record that is no longer kept. */
export type Changes = ReadonlyMap<string, AlertRecord | undefined>

/** Tracks the alerts in force: each is raised once, and resolved once it has not been seen for a while. */
export class Ledger {
  readonly #runtimeId: string
  readonly #records: Map<string, AlertRecord>
  /** When each condition that is not raised yet was first seen. */
  readonly #pending = new Map<string, number>()
  /** Since when each alert in force has not been seen. */
  readonly #gone = new Map<string, number>()

  constructor(runtimeId: string, kept: readonly AlertRecord[] = []) {
    this.#runtimeId = runtimeId
    this.#records = new Map(kept.map(record => [record.key, record]))
  }

  get records(): readonly AlertRecord[] {
    return [...this.#records.values()]
  }

  /** The alerts to send. Leaves out alerts that are about to be resolved and were not sent in time. */
  get tellable(): readonly AlertRecord[] {
    return this.records.filter(({key, until}) => until !== null || !this.#gone.has(key))
  }

  /** Updates the records to what is seen at a moment. Returns the changes. */
  advance({conditions, unknown}: Seen, now: number, settings: LedgerSettings): Changes {
    const changes = new Map<string, AlertRecord | undefined>()
    const put = (record: AlertRecord) => {
      this.#records.set(record.key, record)
      changes.set(record.key, record)
    }
    const holding = new Set<string>()
    for (const condition of conditions) {
      const rule = ruleOf(condition.code, settings.rules)
      if (!counts(condition, rule)) continue
      const key = keyOf(condition)
      holding.add(key)
      const known = this.#records.get(key)
      if (known?.until === null) {
        this.#gone.delete(key)
        const next = {...known, ...this.#wordsOf(condition), severity: rule.severity}
        if (isNews(known, next)) put(next)
        continue
      }
      const first = this.#pending.get(key) ?? now
      this.#pending.set(key, first)
      const since = Math.min(first, condition.since ?? first)
      if (now < settings.steadyFrom || now - since < rule.after) continue
      this.#pending.delete(key)
      put(this.#raise(condition, known, {key, since, now, severity: rule.severity, happens: rule.happens}))
    }
    for (const key of this.#pending.keys()) if (!holding.has(key)) this.#pending.delete(key)
    for (const record of this.records) {
      if (record.until !== null) {
        if (now - record.until < keptFor) continue
        this.#records.delete(record.key)
        changes.set(record.key, undefined)
      } else if (!holding.has(record.key) && !unknown.has(record.code) && now >= settings.steadyFrom) {
        const until = this.#gone.get(record.key) ?? now
        this.#gone.set(record.key, until)
        if (now - until < settleOf(record, now, settings.settle)) continue
        this.#gone.delete(record.key)
        put({...record, until, runtimeId: this.#runtimeId})
      }
    }
    return changes
  }

  /** Records what targets were sent. */
  put(records: readonly AlertRecord[]): void {
    for (const record of records) this.#records.set(record.key, record)
  }

  #raise(
    condition: Condition,
    known: AlertRecord | undefined,
    {now, ...more}: Pick<AlertRecord, "key" | "since" | "severity" | "happens"> & {readonly now: number},
  ): AlertRecord {
    // A target that was not sent the end of an alert is not sent another beginning.
    const goesOn = Object.values(known?.told ?? {}).some(({id, status}) => id === known?.id && status === "firing")
    return {
      ...more,
      ...this.#wordsOf(condition),
      id: goesOn && known !== undefined ? known.id : uuid(),
      code: condition.code,
      since: goesOn && known !== undefined ? known.since : more.since,
      raisedAt: now,
      until: null,
      raises: [...(known?.raises ?? []).filter(at => now - at < hour), now],
      told: known?.told ?? {},
    }
  }

  #wordsOf({title, text, remediation, endpoint, runId}: Condition) {
    return {title, text, remediation, ...omitUndefined({endpoint, runId}), runtimeId: this.#runtimeId}
  }
}

/** Not `value`: figures change all the time, and are no news to a target. */
const isNews = (one: AlertRecord, other: AlertRecord): boolean =>
  one.title !== other.title ||
  one.text !== other.text ||
  one.severity !== other.severity ||
  one.runId !== other.runId ||
  one.runtimeId !== other.runtimeId

/** Returns how long an alert must be unseen before it is resolved: twice as long each time it recurs within an hour. */
const settleOf = ({raises}: AlertRecord, now: number, settle: number): number => {
  const again = raises.filter(at => now - at < hour).length - 1
  return Math.min(settle * 2 ** Math.max(0, again), Math.max(settle, longestSettle))
}
