import {fromJson} from "../../../shared/json.ts"
import {type LogLevel, rankOf} from "../../../shared/log.ts"
import type {LogRecord} from "./record.ts"

/** How many of the newest records to keep, and how many characters of them. */
const kept = {records: 1000, characters: 2 * 1024 * 1024}

export interface Kept {
  /** Counts the records of this run from 1. */
  readonly seq: number
  readonly level: LogLevel
  readonly plugin: string | undefined
  /** As JSON, which takes half the memory of the object and cannot be changed. */
  readonly json: string
}

export interface HistoryFilter {
  /** The lowest level. */
  readonly level: LogLevel
  readonly plugin: string | undefined
}

export const fits = (record: Kept | LogRecord, {level, plugin}: HistoryFilter): boolean =>
  rankOf(record.level as LogLevel) >= rankOf(level) && (plugin === undefined || record.plugin === plugin)

/** The newest records of this run, limited by number and size. */
export class History {
  #records: Kept[] = []
  /** Records before this position were dropped. */
  #first = 0
  #size = 0
  /** The number of the newest record; 0 if there is none. */
  last = 0

  add(level: LogLevel, plugin: string | undefined, json: string): void {
    this.#records.push({seq: ++this.last, level, plugin, json})
    this.#size += json.length
    while (this.#records.length - this.#first > kept.records || this.#size > kept.characters) this.#drop()
  }

  /** The number of the oldest kept record. */
  get oldest(): number {
    return this.#records[this.#first]?.seq ?? this.last + 1
  }

  /** Returns the records above `after`, oldest first. */
  above(after: number, filter: HistoryFilter, limit: number): readonly Kept[] {
    return this.#matching(filter, seq => seq > after).slice(0, limit)
  }

  /** Returns the records below `before`, newest first. */
  below(before: number, filter: HistoryFilter, limit: number): readonly Kept[] {
    return this.#matching(filter, seq => seq < before)
      .reverse()
      .slice(0, limit)
  }

  /** Returns the records whose field has one of these numbers, oldest first. */
  about(numbers: Readonly<Record<string, ReadonlySet<number>>>): readonly Kept[] {
    const names = Object.keys(numbers).filter(name => numbers[name]?.size !== 0)
    return this.#records.slice(this.#first).filter(({json}) => {
      // Parsing every record would take milliseconds.
      if (!names.some(name => json.includes(`"${name}":`))) return false
      const record = fromJson(json) as Readonly<Record<string, unknown>>
      return names.some(name => numbers[name]?.has(record[name] as number))
    })
  }

  #matching(filter: HistoryFilter, isBeside: (seq: number) => boolean): Kept[] {
    return this.#records.slice(this.#first).filter(record => isBeside(record.seq) && fits(record, filter))
  }

  #drop(): void {
    this.#size -= this.#records[this.#first]?.json.length ?? 0
    this.#first++
    // Copies the array only once per thousand records, since copying takes time.
    if (this.#first < kept.records) return
    this.#records = this.#records.slice(this.#first)
    this.#first = 0
  }
}
