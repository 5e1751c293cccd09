import type {MetricHistoryView} from "../../../../shared/api/metrics/history.ts"
import {type Segment, type TimelineState, timelineStateOf} from "./timeline.ts"

/** The period shown, in milliseconds since 1970. */
export interface Range {
  readonly from: number
  readonly to: number
}

const hour = 3_600_000

/** The ranges on offer, by their name in the address. */
const ranges: Readonly<Record<string, number>> = {
  "1h": hour,
  "24h": 24 * hour,
  "7d": 7 * 24 * hour,
  "30d": 30 * 24 * hour,
}

export const usualRange = "24h"

/** The shortest range that can be shown, in milliseconds. */
const shortest = 10 * 60_000

/** Returns the range for the parts of the address: a range up to now, or two times. */
export const rangeOf = (now: number, first = usualRange, second?: string): Range => {
  const [from, to] = [Date.parse(first), Date.parse(second ?? "")]
  if (!Number.isNaN(from) && to > from) return {from, to}
  const length = Object.hasOwn(ranges, first) ? ranges[first] : ranges[usualRange]
  return {from: now - (length ?? hour), to: now}
}

/** Moves and stretches a range, but never beyond now. */
export const moved = ({from, to}: Range, now: number, {by = 0, times = 1}: {by?: number; times?: number}): Range => {
  const length = Math.max(shortest, (to - from) * times)
  const end = Math.min(now, (from + to) / 2 + by * (to - from) + length / 2)
  return {from: end - length, to: end}
}

/** Returns the starts of the intervals, in seconds since 1970. */
export const timesOf = ({from, seconds, ran}: MetricHistoryView): readonly number[] =>
  ran.map((_, index) => Date.parse(from) / 1000 + index * seconds)

type Values = readonly (number | null)[]

/** Returns the mean of the known values; undefined if none is known. */
export const meanOf = (values: Values): number | undefined => {
  const known = values.filter(value => value !== null)
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length
}

export const totalOf = (values: Values): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

export const mostOf = (values: Values): number => values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0)

/** Converts counts per interval to counts per minute. */
export const aMinute = (values: Values, seconds: number): Values =>
  values.map(value => (value === null ? null : (value * 60) / seconds))

/**
 * Returns the share of the time since the first record in which the Host ran, from 0 to 1. A hole is time without a
 * running Host.
 */
export const ranShare = (view: MetricHistoryView, to: number): number | undefined => {
  const length = recordedFor(view, to)
  return length < 60 ? undefined : Math.min(1, ranFor(view, to) / length)
}

/** Returns the seconds from the first record, or from the first interval if it is later, to the end. */
export const recordedFor = ({from, recordedSince}: MetricHistoryView, to: number): number =>
  (to - Math.max(Date.parse(from), recordedSince === null ? to : Date.parse(recordedSince))) / 1000

/** Returns the seconds in which a Host ran. The end may cut the last interval short. */
export const ranFor = ({from, seconds, ran}: MetricHistoryView, to: number): number =>
  totalOf(
    ran.map((share, index) => {
      const begin = Date.parse(from) / 1000 + index * seconds
      return share && share * Math.min(seconds, to / 1000 - begin)
    }),
  )

/** Returns the states of an endpoint, interval by interval. */
export const segmentsOf = (view: MetricHistoryView, name: string): readonly Segment[] => {
  const endpoint = view.endpoints.find(each => each.name === name)
  if (endpoint === undefined) return []
  const first = Date.parse(view.from)
  const length = view.seconds * 1000
  return endpoint.online.flatMap((online, index): readonly Segment[] => {
    if (online === null) return []
    const state: TimelineState = online === 1 ? "online" : timelineStateOf(endpoint.otherwise[index])
    return [{state, from: first + index * length, to: first + (index + 1) * length}]
  })
}
