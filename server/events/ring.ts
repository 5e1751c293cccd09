import {joinBytes} from "../../shared/sdk/adapter/answer.ts"
import {type Audience, type Envelopes, isPublic} from "./envelope.ts"
import type {Filter} from "./filter.ts"
import type {StoredEvent} from "./log.ts"

/** How far a client may be behind, in events and bytes: this much is kept in memory for all clients. */
export const reach = {events: 1000, bytes: 1024 * 1024} as const

/** How many bytes to hand over at once. */
const portion = 64 * 1024

/** How many portions to share. Most clients are at the same position. */
const mostShared = 8

interface Entry {
  readonly event: StoredEvent
  readonly full: Uint8Array
  /** Created when the first client of that audience asks. */
  demo: Uint8Array | undefined
}

/** Frames for one client: the events that it wants behind one offset, up to `to`. */
export interface Portion {
  readonly bytes: Uint8Array | undefined
  readonly to: number
  /** The offset of the last frame in it. */
  readonly last: number | undefined
}

const encoder = new TextEncoder()

/** The newest events, encoded once for each audience, for all clients that are up to date. */
export class Ring {
  readonly #envelopes: Envelopes
  #entries: Entry[] = []
  #bytes = 0
  /** The ring has every event after this offset, up to `to`. */
  from = 0
  to = 0
  /** The next portion of clients without a filter, shared by all at the same position. */
  readonly #shared = new Map<string, Portion>()

  constructor(envelopes: Envelopes) {
    this.#envelopes = envelopes
  }

  /** Drops all events and continues from here. */
  restart(at: number): void {
    this.#entries = []
    this.#shared.clear()
    this.#bytes = 0
    this.from = at
    this.to = at
  }

  /** Adds the first events, about as many as a client takes at once. Returns how many. */
  add(events: readonly StoredEvent[]): number {
    let count = 0
    for (let size = 0; count < events.length && size < portion; count++) {
      const event = events[count]
      if (event === undefined) break
      const full = encoder.encode(this.#envelopes.frame(event, "full"))
      this.#entries.push({event, full, demo: isPublic(event.type) ? full : undefined})
      this.#bytes += full.length
      size += full.length
      this.to = event.offset
    }
    this.#shared.clear()
    this.#trim()
    return count
  }

  /** Returns a portion of the events behind an offset, which must not be before `from`. */
  after(offset: number, audience: Audience, filter: Filter): Portion {
    if (filter !== undefined) return this.#collect(offset, audience, filter)
    const key = `${audience} ${offset}`
    const shared = this.#shared.get(key)
    if (shared !== undefined) return shared
    const made = this.#collect(offset, audience, filter)
    if (this.#shared.size < mostShared) this.#shared.set(key, made)
    return made
  }

  #collect(offset: number, audience: Audience, filter: Filter): Portion {
    const parts: Uint8Array[] = []
    let size = 0
    let to = offset
    let last: number | undefined
    for (let index = this.#indexAfter(offset); index < this.#entries.length && size < portion; index++) {
      const entry = this.#entries[index]
      if (entry === undefined) break
      to = entry.event.offset
      if (filter?.(entry.event) === false) continue
      const bytes = audience === "full" ? entry.full : this.#demoOf(entry)
      parts.push(bytes)
      size += bytes.length
      last = to
    }
    return {bytes: parts.length <= 1 ? parts[0] : joinBytes(parts, size), to, last}
  }

  #demoOf(entry: Entry): Uint8Array {
    entry.demo ??= encoder.encode(this.#envelopes.frame(entry.event, "demo"))
    return entry.demo
  }

  /** Returns the index of the first entry behind an offset. Searches from the end, where most clients are. */
  #indexAfter(offset: number): number {
    let index = this.#entries.length
    while (index > 0 && (this.#entries[index - 1]?.event.offset ?? 0) > offset) index--
    return index
  }

  #trim(): void {
    let surplus = 0
    let bytes = this.#bytes
    while (surplus < this.#entries.length && (this.#entries.length - surplus > reach.events || bytes > reach.bytes)) {
      bytes -= this.#entries[surplus]?.full.length ?? 0
      surplus++
    }
    if (surplus === 0) return
    const dropped = this.#entries.splice(0, surplus)
    this.#bytes = bytes
    this.from = dropped.at(-1)?.event.offset ?? this.from
  }
}
