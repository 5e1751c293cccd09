import {itemEvents} from "../../../shared/api/item-rules.ts"
import type {JournalRecord} from "../../../shared/api/workroom.ts"
import type {EventData} from "../../../shared/events/events.ts"
import type {Log} from "../../../shared/log.ts"
import {isProblem} from "../../../shared/problems.ts"
import {assertThat, type Database, type Statement} from "../../database/database.ts"
import {readNumber} from "../../database/engine/cells.ts"
import {persist, writeIf} from "../../database/persist.ts"
import {type EventRow, tellingAll, toRow} from "../../events/telling.ts"
import {parseRecord} from "./record.ts"
import type {Store} from "./store.ts"

/** The event of a record. It depends on the record alone, so it is always the same. */
const eventOf = ({seq, at, actor, item, command}: JournalRecord): EventRow[] => {
  if (command.is === "authority") return []
  const about = {at: Date.parse(at)}
  const base = {item, seq, actor, revision: command.is === "add" ? 1 : command.expectedRevision + 1}
  return [toRow(itemEvents[command.is], {...base, ...moreOf(command)}, about)]
}

type More = Omit<EventData<"workroom.item_added">, "item" | "seq" | "actor" | "revision">

const moreOf = (command: Exclude<JournalRecord["command"], {is: "authority"}>): More => {
  switch (command.is) {
    case "add":
      return {title: command.title, priority: command.priority, labels: [...command.labels]}
    case "claim":
      return {assignee: command.assignee}
    case "block":
      return {reason: command.reason, ...(command.deadline === null ? {} : {deadline: command.deadline})}
    case "overdue":
      return {deadline: command.deadline}
    default:
      return {}
  }
}

/** The events of records, as statements for the batch that stores the records. */
export const tellingRecords = (records: readonly JournalRecord[]): Statement[] => {
  const rows = records.flatMap(eventOf)
  return rows.length === 0 ? [] : [tellingAll(rows)]
}

/** The number of pending records to hold in memory. A longer backlog is read from the store. */
const mostWaiting = 5000

const atOnce = 200

/**
 * Raises the events of a file store's records. They are stored after the records, in one batch with the number of the
 * last reported record. If a crash or a failing database interrupts that, the next start raises the rest. No event is
 * raised twice.
 */
export class FileTelling {
  readonly #database: Database
  readonly #store: Store
  readonly #log: Log
  #told = 0
  #head = 0
  #waiting: JournalRecord[] = []
  #running: Promise<void> | undefined

  constructor(database: Database, store: Store, log: Log) {
    this.#database = database
    this.#store = store
    this.#log = log
  }

  /** Reports the records that are not reported yet, up to `head`, the end of the Journal. */
  async start(head: number): Promise<void> {
    // After a restore, the Journal may end before the last reported record of the replaced one.
    const settling = [
      {sql: "INSERT OR IGNORE INTO workroom_told (id, seq) VALUES (1, 0)"},
      {sql: "UPDATE workroom_told SET seq = ? WHERE seq > ?", args: [head, head]},
    ]
    await writeIf(this.#database, "NOT EXISTS (SELECT 1 FROM workroom_told WHERE seq <= ?)", settling, [head])
    this.#told = await this.#readTold()
    this.#head = head
    this.#go()
  }

  /** Adds new records, in their order. */
  readonly add = (records: readonly JournalRecord[]): void => {
    this.#head = records.at(-1)?.seq ?? this.#head
    if (this.#waiting.length < mostWaiting) this.#waiting.push(...records)
    this.#go()
  }

  /** Resolves when all records are reported. */
  async idle(): Promise<void> {
    await this.#running
  }

  #go(): void {
    this.#running ??= this.#tell()
      .catch(error =>
        this.#log.error("the Host reports these workroom records as events only at the next start", {error}),
      )
      .finally(() => {
        this.#running = undefined
        if (this.#told < this.#head && this.#waiting.length > 0) this.#go()
      })
  }

  async #tell(): Promise<void> {
    while (this.#told < this.#head) {
      const records = await this.#next()
      const seq = this.#told + records.length
      const batch = [
        assertThat("(SELECT seq FROM workroom_told) = ?", [this.#told]),
        ...tellingRecords(records),
        {sql: "UPDATE workroom_told SET seq = ?", args: [seq]},
      ]
      await persist("an event of the workroom", this.#log, () => this.#database.write(batch)).catch(error => {
        // Repeated after an unknown outcome that turned out to be stored.
        if (!isProblem(error, "database_refused")) throw error
      })
      this.#told = await this.#readTold()
    }
  }

  #readTold(): Promise<number> {
    return readNumber(this.#database, "SELECT seq FROM workroom_told")
  }

  async #next(): Promise<readonly JournalRecord[]> {
    this.#waiting = this.#waiting.filter(({seq}) => seq > this.#told)
    if (this.#waiting[0]?.seq === this.#told + 1) return this.#waiting.splice(0, atOnce)
    const texts: string[] = []
    const upTo = Math.min(this.#head, this.#told + atOnce)
    await this.#store.read(this.#told + 1, upTo, text => texts.push(text))
    return texts.map(parseRecord)
  }
}
