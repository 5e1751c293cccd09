import type {Buckets} from "../../../shared/meter.ts"

/**
 * Upper bounds of the lengths by which gaps are counted, in seconds. Of gaps that retention has deleted only the bucket is
 * known: other bounds need a migration of what `retention_dropped` has of them.
 */
const bounds = [1, 5, 15, 60, 300, 3600] as const

/** A clock that was set back by less than a second may let a gap end before it began. */
const milliseconds = "max(0, to_at - from_at)"

/** SQL: in which bucket a gap is that has ended; the last one has no bound. */
export const bucketOfGap = `CASE ${bounds.map((bound, index) => `WHEN ${milliseconds} <= ${bound * 1000} THEN ${index}`).join(" ")} ELSE ${bounds.length} END`

/** SQL: how many milliseconds the gaps of a group took together. */
export const timeOfGaps = `sum(${milliseconds})`

/** How long gaps were, in seconds. Whole milliseconds are added up, so that the sum is the same in each run. */
export class GapLengths implements Buckets {
  readonly bounds: readonly number[] = bounds
  readonly #counts = [...bounds.map(() => 0), 0]
  #time = 0

  /** So many of one bucket, that took so many milliseconds together. */
  add(bucket: number, count: number, time: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count
    this.#time += time
  }

  get sum(): number {
    return this.#time / 1000
  }

  get count(): number {
    return this.#counts.reduce((total, count) => total + count, 0)
  }

  cumulative(): readonly number[] {
    let total = 0
    return bounds.map((_, bucket) => {
      total += this.#counts[bucket] ?? 0
      return total
    })
  }
}
