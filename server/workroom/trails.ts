import type {JournalRecord} from "../../shared/api/workroom.ts"
import {BoundedMap} from "../runtime/bounded-map.ts"
import {parseRecord} from "./store/record.ts"
import type {Store} from "./store/store.ts"

/** Items whose records stay in memory: those that somebody looks at. */
const mostKept = 16

/** Records that are looked at first, from the end of the Journal back; then so many times as many. */
const firstLook = 5000
const growth = 8

/** In canonical JSON these keys are neighbours, and within a text a quote is escaped. */
const markOf = (item: number): string => `,"item":${item},"prevHash":"`

/** The records about one item, in their order, up to a record of the Journal. */
interface Trail {
  readonly upTo: number
  readonly records: readonly JournalRecord[]
}

/** The records about single items. A Journal is not sorted by item: the first look at one reads back to what added it. */
export class Trails {
  readonly #store: Pick<Store, "read">
  readonly #firstLook: number
  readonly #kept = new BoundedMap<number, Trail>(mostKept)

  constructor(store: Pick<Store, "read">, look = firstLook) {
    this.#store = store
    this.#firstLook = look
  }

  /** Takes note of records that were stored, one group after another. */
  add(group: readonly JournalRecord[]): void {
    const [first, last] = [group[0], group.at(-1)]
    if (first === undefined || last === undefined) return
    for (const [item, {upTo, records}] of [...this.#kept]) {
      if (upTo !== first.seq - 1) continue
      this.#kept.set(item, {upTo: last.seq, records: [...records, ...group.filter(record => record.item === item)]})
    }
  }

  /** All of them, in their order, of a Journal that ends at `head`. Throws `workroom_damaged`. */
  async of(item: number, head: number): Promise<readonly JournalRecord[]> {
    const known = this.#kept.get(item)
    if (known?.upTo === head) return known.records
    const later = await this.#lookBack(item, head, known?.upTo ?? 0)
    const records = [...(known?.records ?? []), ...later]
    this.#kept.set(item, {upTo: head, records})
    return records
  }

  /** Those after `since`, looked for from the end back, as far as to what added the item. */
  async #lookBack(item: number, head: number, since: number): Promise<readonly JournalRecord[]> {
    const mark = markOf(item)
    let found: readonly JournalRecord[] = []
    let look = this.#firstLook
    for (let last = head; last > since && found[0]?.command.is !== "add"; last -= look, look *= growth) {
      const texts: string[] = []
      await this.#store.read(Math.max(since + 1, last - look + 1), last, text => {
        if (text.includes(mark)) texts.push(text)
      })
      found = [...texts.map(parseRecord), ...found]
    }
    return found
  }
}
