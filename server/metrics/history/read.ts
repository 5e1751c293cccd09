import type {MetricHistoryView} from "../../../shared/api/metrics/history.ts"
import {secondsBuckets} from "../../../shared/metrics/meter.ts"
import type {Reader, Row} from "../../database/database.ts"
import {selectNewestStarts, selectStarts} from "../../database/state/runs.ts"
import {countNames, merge, type Sample, type StateSeconds, sampleOf} from "./sample.ts"
import {day, hour, kept, minute, type Span} from "./spans.ts"

/** The most intervals to show. */
const most = 240

/** Lengths of an interval that people read easily, in milliseconds; longer ones are whole days. */
const steps = [1, 2, 5, 10, 15, 30].map(minutes => minutes * minute).concat([1, 2, 3, 6, 12].map(hours => hours * hour))

const select = "SELECT at, data FROM metric_history WHERE span = ? AND at >= ? AND at < ? ORDER BY at"

const oldestOfEach = `SELECT (SELECT min(at) FROM metric_history WHERE span = ?) AS minute,
  (SELECT min(at) FROM metric_history WHERE span = ?) AS hour`

/** The oldest minute is the start, unless the minutes of the oldest hour were deleted. */
const beginOf = (oldest: Row | undefined): string | null => {
  if (oldest === undefined || oldest.hour === null) return null
  const [first, firstHour] = [Number(oldest.minute ?? Number.POSITIVE_INFINITY), Number(oldest.hour)]
  return new Date(first < firstHour + hour ? Math.max(first, firstHour) : firstHour).toISOString()
}

/** Returns the history between two times, in milliseconds since 1970, from minute rows where kept, else hour rows. */
export const readMetricHistory = async (
  database: Reader,
  {from, to, now}: {readonly from: number; readonly to: number; readonly now: number},
): Promise<MetricHistoryView> => {
  const span: Span = from >= now - kept(minute) ? minute : hour
  const step = stepOf(to - from, span)
  const first = Math.floor(from / step) * step
  const count = Math.ceil((to - first) / step)
  const [rows, [oldest], starts, newest] = await Promise.all([
    database.read(select, [span, first, to]),
    database.read(oldestOfEach, [minute, hour]),
    // A run of seconds has no row of the history.
    database.read(selectStarts, [first, step, to]),
    database.read(selectNewestStarts, [first, to]),
  ])
  const intervals: (Sample | undefined)[] = Array.from({length: count})
  for (const {at, data} of rows) {
    const index = Math.floor((Number(at) - first) / step)
    const known = intervals[index]
    const sample = sampleOf(String(data))
    intervals[index] = known === undefined ? sample : merge(known, sample)
  }
  return {
    from: new Date(first).toISOString(),
    seconds: step / 1000,
    recordedSince: beginOf(oldest),
    starts: intervals.map((_, index) => Number(starts.find(({interval}) => interval === index)?.runs ?? 0)),
    newestStarts: newest.map(({started_at: at}) => new Date(Number(at)).toISOString()).reverse(),
    ...seriesOf(intervals, index => Math.min(step, to - first - index * step) / 1000),
    endpoints: endpointsOf(intervals),
  }
}

const stepOf = (length: number, span: Span): number =>
  steps.find(step => step >= span && length / step <= most) ?? Math.ceil(length / most / day) * day

const seriesOf = (intervals: readonly (Sample | undefined)[], lengthOf: (index: number) => number) => {
  const each = (read: (sample: Sample, index: number) => number | null): (number | null)[] =>
    intervals.map((sample, index) => (sample === undefined ? null : read(sample, index)))
  const counted = Object.fromEntries(countNames.map(name => [name, each(sample => sample[name])]))
  return {
    ...(counted as Record<(typeof countNames)[number], (number | null)[]>),
    ran: each(({ran}, index) => rounded(Math.min(1, ran / lengthOf(index)))),
    handlerMedian: each(({handlers}) => quantile(handlers, 0.5)),
    handlerSlow: each(({handlers}) => quantile(handlers, 0.99)),
    commitSlow: each(({commits}) => quantile(commits, 0.99)),
    delay: each(({delay}) => delay),
    bytes: each(({bytes}) => bytes || null),
    memory: each(({memory}) => memory || null),
  } satisfies Readonly<Record<string, readonly (number | null)[]>>
}

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000

/** Returns a quantile of a histogram, with values spread evenly in a bucket; above the last bound, the bound. */
export const quantile = (counts: readonly number[], share: number): number | null => {
  const wanted = counts.reduce((sum, count) => sum + count, 0) * share
  if (wanted === 0) return null
  let passed = 0
  for (const [index, count] of counts.entries()) {
    const [low, high] = [secondsBuckets[index - 1] ?? 0, secondsBuckets[index]]
    if (high === undefined) return low
    if (passed + count >= wanted) return Math.round((low + ((wanted - passed) / count) * (high - low)) * 1e5) / 1e5
    passed += count
  }
  return null
}

const endpointsOf = (intervals: readonly (Sample | undefined)[]): MetricHistoryView["endpoints"] => {
  const names = new Set(intervals.flatMap(sample => Object.keys(sample?.endpoints ?? {})))
  return [...names].sort().map(name => {
    const states = intervals.map(sample => sample?.endpoints[name])
    return {name, online: states.map(onlineOf), otherwise: states.map(otherwiseOf)}
  })
}

const onlineOf = (states: StateSeconds | undefined): number | null => {
  const total = Object.values(states ?? {}).reduce((sum, seconds) => sum + seconds, 0)
  return total === 0 ? null : rounded((states?.online ?? 0) / total)
}

const otherwiseOf = (states: StateSeconds = {}): string | null =>
  Object.entries(states)
    .filter(([state, seconds]) => state !== "online" && seconds > 0)
    .sort(([, one], [, other]) => other - one)[0]?.[0] ?? null
