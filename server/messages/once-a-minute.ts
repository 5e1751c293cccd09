import {BoundedMap} from "../runtime/bounded-map.ts"

/** In milliseconds. */
const pause = 60_000

/** How many keys are remembered. */
const most = 10_000

/** Says the same to nobody more than once a minute. In memory: a reload keeps it, a restart does not. */
export class OnceAMinute {
  readonly #now: () => number
  readonly #last = new BoundedMap<string, number>(most)

  /** `now`: in milliseconds, and never going back. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Takes the turn of a key; false where it was taken within the last minute. */
  take(key: string): boolean {
    const last = this.#last.get(key)
    if (last !== undefined && this.#now() - last < pause) return false
    this.#last.set(key, this.#now())
    return true
  }
}
