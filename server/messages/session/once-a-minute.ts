import {BoundedMap} from "../../runtime/bounded-map.ts"

/** In milliseconds. */
const pause = 60_000

/** The most remembered keys. */
const most = 10_000

/** Limits a message to once a minute per key. In memory: a reload keeps it, a restart does not. */
export class OnceAMinute {
  readonly #now: () => number
  readonly #last = new BoundedMap<string, number>(most)

  /** `now` returns milliseconds and never goes back. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Takes the turn of a key. Returns false if it was taken within the last minute. */
  take(key: string): boolean {
    const last = this.#last.get(key)
    if (last !== undefined && this.#now() - last < pause) return false
    this.#last.set(key, this.#now())
    return true
  }
}
