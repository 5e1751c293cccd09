import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import type {Filter} from "./session/handler.ts"

type Key = keyof Filter

const parts: {readonly [K in Key]-?: (event: SatoriEvent, endpoint: string) => string | undefined} = {
  channel: ({channel}) => channel?.id,
  user: ({user}) => user?.id,
  endpoint: (_, endpoint) => endpoint,
  platform: ({login}) => login.platform,
  type: ({_type}) => _type,
}

/** What a filter can name; few handlers share a value of the first ones. */
export const filterKeys = Object.keys(parts) as readonly Key[]

/** Returns the ids that a filter names for a part of events; undefined if it names none. */
export const idsOf = (filter: Filter, key: Key): readonly string[] | undefined => {
  const ids = filter[key]
  return typeof ids === "string" ? [ids] : ids
}

export const hasFilter = (filter: Filter): boolean => filterKeys.some(key => filter[key] !== undefined)

/** Returns a filter for people, such as `channel #team, #ops; user ann`; undefined for all events. */
export const filterText = (filter: Filter): string | undefined => {
  const named = filterKeys.flatMap(key => {
    const ids = idsOf(filter, key)
    return ids === undefined ? [] : [`${key} ${ids.join(", ")}`]
  })
  return named.length === 0 ? undefined : named.join("; ")
}

interface Entry<T> {
  /** Its place in the order of declaration. */
  readonly place: number
  readonly handler: T
  /** The parts besides the one that it is found by. */
  readonly others: readonly (readonly [Key, ReadonlySet<string>])[]
}

/** Handlers by what their filters name: an event looks its own up, however many there are. */
export class FilterIndex<T extends {readonly filter?: Filter}> {
  readonly #all: readonly T[]
  readonly #plain: Entry<T>[] = []
  readonly #filtered = new Map<Key, Map<string, Entry<T>[]>>()

  constructor(handlers: readonly T[]) {
    this.#all = handlers
    for (const [place, handler] of handlers.entries()) {
      const named = filterKeys.flatMap(key => {
        const ids = idsOf(handler.filter ?? {}, key)
        return ids === undefined ? [] : [[key, new Set(ids)] as const]
      })
      const [first, ...others] = named
      const entry = {place, handler, others}
      if (first === undefined) this.#plain.push(entry)
      else for (const id of first[1]) this.#add(first[0], id, entry)
    }
  }

  /** Returns the handlers that want an event, in the order of declaration. */
  of(event: SatoriEvent, endpoint: string): readonly T[] {
    if (this.#filtered.size === 0) return this.#all
    const found = [...this.#filtered].flatMap(([key, byId]) => byId.get(parts[key](event, endpoint) ?? "") ?? [])
    const wanting = found.filter(({others}) => others.every(([key, ids]) => ids.has(parts[key](event, endpoint) ?? "")))
    const all = wanting.length === 0 ? this.#plain : [...this.#plain, ...wanting].sort((a, b) => a.place - b.place)
    return all.map(({handler}) => handler)
  }

  #add(key: Key, id: string, entry: Entry<T>): void {
    const byId = this.#filtered.get(key) ?? new Map<string, Entry<T>[]>()
    this.#filtered.set(key, byId)
    byId.set(id, [...(byId.get(id) ?? []), entry])
  }
}
