/** One series of a counter or a gauge. */
export interface Sample<L extends string = string> {
  readonly labels: Readonly<Record<L, string>>
  readonly value: number
}

/** One series of a histogram. */
export interface Distribution<L extends string = string> {
  readonly labels: Readonly<Record<L, string>>
  readonly histogram: Buckets
}

/** Values counted by size. */
export interface Buckets {
  /** Ascending upper bounds of the buckets. Only `count` includes values above the last bound. */
  readonly bounds: readonly number[]
  readonly sum: number
  readonly count: number
  /** Returns how many values were at most each bound. */
  cumulative(): readonly number[]
}

/** Bounds in seconds, from a request that touches nothing to one that waits for a person. */
export const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60] as const

/** A distribution of values for hot paths: counting allocates nothing. */
export class Histogram implements Buckets {
  readonly bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  constructor(bounds: readonly number[] = secondsBuckets) {
    this.bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  observe(value: number): void {
    const {bounds} = this
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++
    if (bucket < bounds.length) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum += value
    this.#count++
  }

  get sum(): number {
    return this.#sum
  }

  get count(): number {
    return this.#count
  }

  cumulative(): readonly number[] {
    let total = 0
    return this.#counts.map(count => {
      total += count
      return total
    })
  }
}

const minutes = 24 * 60

/** How often something happened in each minute of the last 24 hours. */
export class RecentCounts {
  readonly #counts = new Uint32Array(minutes)
  /** The last counted minute. */
  #minute = 0

  /** `now` is in milliseconds of a clock that never goes back. `ago` is in minutes. */
  add(now: number, count = 1, ago = 0): void {
    const minute = this.#advance(now)
    if (ago < 0 || ago >= minutes) return
    const place = (minute - ago + minutes) % minutes
    this.#counts[place] = (this.#counts[place] ?? 0) + count
  }

  /** Returns the counts of the last `many` minutes, oldest first. */
  last(many: number, now: number): readonly number[] {
    const minute = this.#advance(now)
    return Array.from({length: many}, (_, index) => this.#counts[(minute + minutes - many + 1 + index) % minutes] ?? 0)
  }

  #advance(now: number): number {
    const minute = Math.floor(now / 60_000)
    const passed = Math.min(minutes, minute - this.#minute)
    for (let index = 0; index < passed; index++) this.#counts[(minute - index) % minutes] = 0
    this.#minute = Math.max(this.#minute, minute)
    return this.#minute
  }
}
