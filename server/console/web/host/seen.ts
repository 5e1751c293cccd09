import type {GapView} from "../../../../shared/api/endpoints.ts"
import type {MetricHistoryView} from "../../../../shared/api/metrics/history.ts"
import {type Range, ranFor, recordedFor, totalOf} from "./metric-history.ts"

/** Everything that happened while nobody looked. Lengths in seconds. */
export interface Missed {
  readonly starts: number
  /** Time in which no Host ran, or its database accepted no writes. */
  readonly down: number
  readonly failed: number
  readonly unsent: number
  /** For each endpoint that has gaps. */
  readonly gaps: readonly {readonly name: string; readonly count: number; readonly length: number}[]
  readonly away: readonly {readonly name: string; readonly length: number}[]
}

/** Shorter absences of an endpoint or of the Host are ignored, in seconds. */
const shortest = 60

/** Returns what is worth knowing about a range; undefined if there is nothing. */
export const missedIn = (
  range: Range,
  view: MetricHistoryView,
  gaps: readonly Pick<GapView, "endpoint" | "from" | "to">[],
): Missed | undefined => {
  const own = gaps
    .map(({endpoint, from, to}) => ({name: endpoint, length: lengthWithin(range, from, to)}))
    .filter(({length}) => length > 0)
  const down = Math.max(0, recordedFor(view, range.to) - ranFor(view, range.to))
  const missed: Missed = {
    starts: totalOf(view.starts),
    // The newest minute is not stored yet.
    down: down > 2 * shortest ? down : 0,
    failed: totalOf(view.failed),
    unsent: totalOf(view.unsent),
    gaps: [...Map.groupBy(own, ({name}) => name)].map(([name, of]) => ({
      name,
      count: of.length,
      length: of.reduce((sum, {length}) => sum + length, 0),
    })),
    away: view.endpoints
      .map(({name, online}) => ({name, length: totalOf(online.map(awayOf)) * view.seconds}))
      .filter(({length}) => length >= shortest),
  }
  const {starts, failed, unsent, away} = missed
  return starts + failed + unsent + missed.gaps.length + away.length > 0 || missed.down > 0 ? missed : undefined
}

const awayOf = (online: number | null): number => (online === null ? 0 : 1 - online)

const lengthWithin = ({from, to}: Range, begin: string, end: string | null): number =>
  Math.max(0, Math.min(to, end === null ? to : Date.parse(end)) - Math.max(from, Date.parse(begin))) / 1000

const key = (host: string) => `svc.seen.${host}`

/**
 * Returns the time up to which somebody has seen this Host's events, in milliseconds since 1970; undefined if nobody
 * has.
 */
export const readSeen = (host: string): number | undefined => {
  const stored = Number(localStorage.getItem(key(host)) ?? Number.NaN)
  return Number.isFinite(stored) ? stored : undefined
}

export const storeSeen = (host: string, at: number): void => localStorage.setItem(key(host), String(at))
