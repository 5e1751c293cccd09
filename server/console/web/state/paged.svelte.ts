import type {Page} from "../../../../shared/api/pages.ts"
import type {HostClient} from "../host/client.ts"
import {keepFresh, Resource} from "./resource.svelte.ts"
import {getSession} from "./session.svelte.ts"

/** The number of items per page. */
const limit = 100

/** The head reads at most this many pages to reach the known items; beyond them, the list starts again. */
const mostPages = 5

/** The number of items to keep. Items that the user scrolled to stay. */
const kept = 1000

/** A page of a search says how far back the Host has searched. */
interface SearchedPage<T> extends Page<T> {
  readonly lookedTo?: string | null
}

/** The part of a list to read. */
interface Part {
  readonly limit: number
  readonly cursor: string | null
}

type Read<T> = (part: Part, signal?: AbortSignal) => Promise<SearchedPage<T>>

/** A list of the API that grows at its head when new items arrive, and at its end when the user scrolls. */
export class PagedList<T> {
  items = $state.raw<readonly T[]>([])
  /** Loads the head; its failure is the failure of the list. */
  readonly head: Resource<boolean>
  /** How far back the search has read; undefined if the list is no search. */
  lookedTo = $state<string>()
  /** True if there may be older items. */
  hasMore = $state(false)
  #next: string | null = null
  #isReading = false
  readonly #read: Read<T>
  readonly #numberOf: (item: T) => number

  constructor(
    read: Read<T>,
    /** Returns a number that falls from item to item; it is the cursor after the item. */
    numberOf: (item: T) => number,
  ) {
    this.#read = read
    this.#numberOf = numberOf
    this.head = new Resource(signal => this.#refresh(signal))
  }

  /** Empties the list and loads it again, for example with other filters. */
  restart(): void {
    this.items = []
    this.#next = null
    this.head.reload()
  }

  /** Reads the next page, if there is one. */
  async more(): Promise<void> {
    if (this.#next === null || this.#isReading) return
    this.#isReading = true
    try {
      const asked = this.#next
      const page = await this.#read({limit, cursor: asked})
      // The list has restarted or dropped its end meanwhile, so this page does not continue it.
      if (this.#next !== asked) return
      this.#goOnAt(page.next, page)
      const end = this.items.at(-1)
      const known = end === undefined ? Number.POSITIVE_INFINITY : this.#numberOf(end)
      this.items = [...this.items, ...page.items.filter(item => this.#numberOf(item) < known)]
    } catch {
      // The head's resource shows the error, and scrolling retries.
    } finally {
      this.#isReading = false
    }
  }

  async #refresh(signal: AbortSignal): Promise<boolean> {
    const known = this.items[0]
    const fresh: T[] = []
    let cursor: string | null = null
    let looked: SearchedPage<T> | undefined
    for (let count = 0; count < mostPages; count++) {
      const page: SearchedPage<T> = await this.#read({limit, cursor}, signal)
      looked = page
      fresh.push(...page.items)
      cursor = page.next
      const last = page.items.at(-1)
      if (known === undefined || cursor === null || last === undefined) break
      if (this.#numberOf(last) <= this.#numberOf(known)) break
    }
    const last = fresh.at(-1)
    const older = last === undefined ? [] : this.items.filter(item => this.#numberOf(item) < this.#numberOf(last))
    const meets = known !== undefined && last !== undefined && this.#numberOf(last) <= this.#numberOf(known)
    if (older.length === 0 || !meets) this.#goOnAt(cursor, looked)
    const all = meets ? [...fresh, ...older] : fresh
    const most = Math.max(kept, this.items.length)
    const end = all[most - 1]
    if (all.length > most && end !== undefined) this.#goOnAt(String(this.#numberOf(end)), undefined)
    this.items = all.slice(0, most)
    return true
  }

  #goOnAt(next: string | null, page: SearchedPage<T> | undefined): void {
    this.#next = next
    this.hasMore = next !== null
    this.lookedTo = page?.lookedTo ?? this.lookedTo
  }
}

/** A list of the API while the component is shown; `wants` names the events that change it. */
export const usePaged = <T>(
  read: (client: HostClient, part: Part) => Promise<SearchedPage<T>>,
  numberOf: (item: T) => number,
  wants: readonly string[],
): PagedList<T> => {
  const {client} = getSession()
  const list = new PagedList<T>((part, signal) => read(client.until(signal), part), numberOf)
  keepFresh(list.head, wants)
  return list
}
