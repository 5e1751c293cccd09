import {Histogram} from "../../shared/metrics/meter.ts"

/** Measures the group commits of a database. Uses plain integers, since every commit passes through it. */
export class CommitMeter {
  readonly seconds = new Histogram()
  readonly batches = new Histogram([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
  /** The number of the newest group that is known to be stored; -1 before the first. */
  newest = -1
  failures = 0
  /** Requests that a remote database did not answer in time. */
  unanswered = 0

  async measure<T>(batches: number, commit: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    try {
      return await commit()
    } catch (error) {
      this.failures++
      throw error
    } finally {
      this.seconds.observe((performance.now() - begun) / 1000)
      this.batches.observe(batches)
    }
  }
}
