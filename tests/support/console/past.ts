import {emptySample, type Sample, sampleText} from "../../../server/metrics/history/sample.ts"
import {open} from "../database/databases.ts"

export const minute = 60_000
export const hour = 60 * minute

interface PastOptions {
  /** Each sample has the online time of this endpoint. */
  readonly endpoint: string
  /** Overrides of a sample, by its time in milliseconds since 1970 and its length in seconds. */
  readonly but?: (at: number, seconds: number) => Partial<Sample>
  /** Rows of other tables, in the same batch. */
  readonly more?: readonly {readonly sql: string; readonly args: readonly (string | number)[]}[]
}

/**
 * Stores a busy Host's history in the database of a stopped one: each minute of the last two days, except for ten
 * minutes an hour ago, and each hour of a month. Half an hour ago three handlers failed and the endpoint was offline
 * for 30 s.
 */
export const storePast = async (file: string, {endpoint, but, more = []}: PastOptions): Promise<void> => {
  const database = await open({dialect: "sqlite", file})
  const now = Date.now()
  const sample = (at: number, seconds: number, failed: number): Sample => ({
    ...emptySample,
    ...{ran: seconds, received: seconds, handled: seconds - failed, failed, sent: seconds},
    ...{handlers: [10, 20, 30, 0, 1], commits: [5, 5, 5], delay: 12, bytes: 5_000_000, memory: 90_000_000},
    endpoints: {[endpoint]: {online: seconds - failed * 10, reconnecting: failed * 10}},
    ...but?.(at, seconds),
  })
  const row = (span: number, at: number, failed: number) => ({
    sql: "INSERT OR REPLACE INTO metric_history (span, at, data) VALUES (?, ?, ?)",
    args: [span, Math.floor(at / span) * span, sampleText(sample(at, span / 1000, failed))],
  })
  const minutes = Array.from({length: 2 * 24 * 60}, (_, n) => n + 1).filter(n => n < 60 || n >= 70)
  await database.write([
    ...minutes.map(n => row(minute, now - n * minute, n === 30 ? 3 : 0)),
    ...Array.from({length: 30 * 24}, (_, n) => row(hour, now - (n + 1) * hour, 0)),
    ...more,
  ])
  await database.close()
}
