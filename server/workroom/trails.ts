import type {JournalRecord} from "../../shared/api/workroom.ts"
import {BoundedMap} from "../runtime/bounded-map.ts"
import {parseKept, type Store} from "./store/store.ts"

/** The number of items whose records stay in memory, for the items that people look at. */
const mostKept = 16

/** The number of records to read first, backwards from the end of the Journal, and the factor for each further read. */
const firstLook = 5000
const growth = 8

/** In canonical JSON these keys are neighbours, and a quote within a text is escaped. */
const markOf = (item: number): string => `,"item":${item},"prevHash":"`

/** The records of one item, in order, up to a record of the Journal. */
interface Trail {
  readonly upTo: number
  readonly records: readonly JournalRecord[]
}

/** The records of single items. The Journal is not sorted by item: the first look reads back to the item's adding. */
export class Trails {
  readonly #store: Pick<Store, "read">
  readonly #firstLook: number
  readonly #kept = new BoundedMap<number, Trail>(mostKept)

  constructor(store: Pick<Store, "read">, look = firstLook) {
    this.#store = store
    this.#firstLook = look
  }

  /** Adds stored records, one group after another. */
  add(group: readonly JournalRecord[]): void {
    const [first, last] = [group[0], group.at(-1)]
    if (first === undefined || last === undefined) return
    for (const [item, {upTo, records}] of [...this.#kept]) {
      if (upTo !== first.seq - 1) continue
      this.#kept.set(item, {upTo: last.seq, records: [...records, ...group.filter(record => record.item === item)]})
    }
  }

  /** All records of an item, in order, of a Journal that ends at `head`. Throws `workroom_damaged`. */
  async of(item: number, head: number): Promise<readonly JournalRecord[]> {
    const known = this.#kept.get(item)
    if (known?.upTo === head) return known.records
    const later = await this.#lookBack(item, head, known?.upTo ?? 0)
    const records = [...(known?.records ?? []), ...later]
    this.#kept.set(item, {upTo: head, records})
    return records
  }

  /** The records after `since`, searched backwards from the end to the record that added the item. */
  async #lookBack(item: number, head: number, since: number): Promise<readonly JournalRecord[]> {
    const mark = markOf(item)
    let found: readonly JournalRecord[] = []
    let look = this.#firstLook
    for (let last = head; last > since && found[0]?.command.is !== "add"; last -= look, look *= growth) {
      const texts: string[] = []
      await this.#store.read(Math.max(since + 1, last - look + 1), last, text => {
        if (text.includes(mark)) texts.push(text)
      })
      found = [...texts.map(parseKept), ...found]
    }
    return found
  }
}
