import type {Buckets} from "../../../shared/metrics/meter.ts"

/** Upper bounds, in seconds. Deleted gaps keep only their bucket: others need a migration of `retention_dropped`. */
const bounds = [1, 5, 15, 60, 300, 3600] as const

/** At least 0: a gap may end before it began if the clock was set back by less than a second. */
const milliseconds = "max(0, to_at - from_at)"

/** SQL: the bucket of an ended gap. The last bucket has no bound. */
export const bucketOfGap = `CASE ${bounds.map((bound, index) => `WHEN ${milliseconds} <= ${bound * 1000} THEN ${index}`).join(" ")} ELSE ${bounds.length} END`

/** SQL: the total length of a group's gaps, in milliseconds. */
export const timeOfGaps = `sum(${milliseconds})`

/** The lengths of gaps, in seconds. Adds whole milliseconds, so that the sum is the same in each run. */
export class GapLengths implements Buckets {
  readonly bounds: readonly number[] = bounds
  readonly #counts = [...bounds.map(() => 0), 0]
  #time = 0

  /** Adds gaps of one bucket; `time` is their total length in milliseconds. */
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
