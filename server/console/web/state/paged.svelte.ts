import {onMount} from "svelte"
import type {HostClient} from "../host/client.ts"
import type {Page} from "../host/views.ts"
import {Resource} from "./resource.svelte.ts"
import {getSession} from "./session.svelte.ts"

/** Items of a page. */
const limit = 100

/** So many pages are read to reach what is shown; beyond them the list begins anew. */
const mostPages = 5

/** So many items may come at the head before the end is let go of; what was scrolled to stays. */
const kept = 1000

/** A page of a list that is searched says how far it has looked. */
interface SearchedPage<T> extends Page<T> {
  readonly lookedTo?: string | null
}

/** A list of the API that grows at its head while it is shown, and at its end when it is scrolled to. */
export class PagedList<T> {
  items = $state.raw<readonly T[]>([])
  /** What loads the head: its failure is the list's. */
  readonly head: Resource<boolean>
  /** How far a search has looked back; undefined where the list is no search. */
  lookedTo = $state<string>()
  /** There may be more below. */
  hasMore = $state(false)
  #next: string | null = null
  #isReading = false
  readonly #read: (query: string, signal?: AbortSignal) => Promise<SearchedPage<T>>
  readonly #numberOf: (item: T) => number

  constructor(
    read: (query: string, signal?: AbortSignal) => Promise<SearchedPage<T>>,
    /** Falls from item to item; an item's is the cursor of what follows it. */
    numberOf: (item: T) => number,
  ) {
    this.#read = read
    this.#numberOf = numberOf
    this.head = new Resource(signal => this.#refresh(signal))
  }

  /** Begins anew, as when what is asked for is another. */
  restart(): void {
    this.items = []
    this.#next = null
    this.head.reload()
  }

  /** Reads the next page where there is one. */
  async more(): Promise<void> {
    if (this.#next === null || this.#isReading) return
    this.#isReading = true
    try {
      const asked = this.#next
      const page = await this.#read(`limit=${limit}&cursor=${asked}`)
      // The list has begun anew meanwhile, or has let go of its end: this does not follow it.
      if (this.#next !== asked) return
      this.#goOnAt(page.next, page)
      const end = this.items.at(-1)
      const known = end === undefined ? Number.POSITIVE_INFINITY : this.#numberOf(end)
      this.items = [...this.items, ...page.items.filter(item => this.#numberOf(item) < known)]
    } catch {
      // The head's resource shows it; scrolling tries again.
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
      const page: SearchedPage<T> = await this.#read(
        `limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`,
        signal,
      )
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

/** A list of the API for as long as the component is shown; `wants` names the events that change it. */
export const usePaged = <T>(
  read: (client: HostClient, query: string, signal?: AbortSignal) => Promise<Page<T>>,
  numberOf: (item: T) => number,
  wants: readonly string[],
): PagedList<T> => {
  const {client, live} = getSession()
  const list = new PagedList<T>((query, signal) => read(client, query, signal), numberOf)
  onMount(() => {
    list.head.reload()
    const unwatch = live.watch(types => {
      if (types === undefined || [...types].some(type => wants.some(wanted => type.startsWith(wanted))))
        list.head.wake()
    })
    return () => {
      unwatch()
      list.head.end()
    }
  })
  return list
}
