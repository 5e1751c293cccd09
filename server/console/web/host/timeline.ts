import type {EndpointView, GapView} from "../../../../shared/api/endpoints.ts"
import type {Envelope} from "../../../../shared/events/event-stream.ts"
import {dataOf} from "./links.ts"

export type TimelineState = EndpointView["state"] | "down" | "unknown"

/** A part of an endpoint's past; times in milliseconds since 1970. */
export interface Segment {
  readonly state: TimelineState
  readonly from: number
  readonly to: number
}

/** The event types that the heartbeat bars use. */
export const timelineTypes = ["endpoint.state", "host.started", "host.stopping"] as const

interface Point {
  readonly at: number
  readonly state: TimelineState
}

const states: readonly string[] = ["idle", "connecting", "online", "reconnecting", "offline", "failed"]
const isState = (value: unknown): value is EndpointView["state"] => states.includes(String(value))

/** Returns a state of the metric history. */
export const timelineStateOf = (state: unknown): TimelineState => (isState(state) ? state : "unknown")

/**
 * Returns the states that the events report. A run without a `host.stopping` event was killed: its state is unknown
 * from its last event to the first event of the next run.
 */
const pointsOf = (events: readonly Envelope[], name: string): Point[] => {
  const points: Point[] = []
  let last: {readonly at: number; readonly runtimeId: string} | undefined
  for (const event of events) {
    const at = Date.parse(event.at)
    const {state} = dataOf(event)
    if (last !== undefined && last.runtimeId !== event.runtimeId && points.at(-1)?.state !== "down")
      points.push({at: last.at, state: "unknown"})
    if (event.type === "host.stopping") points.push({at, state: "down"})
    else if (event.type === "endpoint.state" && event.endpoint === name && isState(state)) points.push({at, state})
    last = {at, runtimeId: event.runtimeId}
  }
  return points
}

/**
 * Returns an endpoint's past from `from` to `now`: unknown before the first event, then what the events report, then
 * the present state since it began. A recorded gap overrides unknown time, because the Host knows when it was last
 * alive. For times without events, the metric history fills in its intervals.
 */
export const timelineOf = (
  endpoint: Pick<EndpointView, "name" | "state" | "since">,
  events: readonly Envelope[],
  gaps: readonly GapView[],
  from: number,
  now: number,
  recorded: readonly Segment[] = [],
): readonly Segment[] => {
  const points = [
    {at: Number.NEGATIVE_INFINITY, state: "unknown" as const},
    ...pointsOf(events, endpoint.name),
    {at: Date.parse(endpoint.since), state: endpoint.state},
  ].sort((one, other) => one.at - other.at)
  const told = points.flatMap((point, index): Segment[] => {
    const to = points[index + 1]?.at ?? now
    return to > from && point.at < now
      ? [{state: point.state, from: Math.max(from, point.at), to: Math.min(to, now)}]
      : []
  })
  const known = merge(told).flatMap(segment =>
    segment.state === "unknown" ? withRecorded(segment, recorded) : [segment],
  )
  return gaps.filter(gap => gap.endpoint === endpoint.name).reduce<readonly Segment[]>(withGap(from, now), merge(known))
}

/** Fills unknown time with what the metric history has recorded. */
const withRecorded = ({from, to}: Segment, recorded: readonly Segment[]): readonly Segment[] => {
  const parts: Segment[] = []
  let end = from
  for (const each of recorded) {
    const part = {...each, from: Math.max(end, each.from), to: Math.min(to, each.to)}
    if (part.to <= part.from) continue
    parts.push({state: "unknown", from: end, to: part.from}, part)
    end = part.to
  }
  return [...parts, {state: "unknown", from: end, to}]
}

const stateOfGap: Readonly<Partial<Record<GapView["reason"], TimelineState>>> = {
  host_stopped: "down",
  host_failed: "down",
  host_ended: "down",
}

/** Fills unknown time with a recorded gap. */
const withGap =
  (from: number, now: number) =>
  (segments: readonly Segment[], gap: GapView): readonly Segment[] => {
    const state = stateOfGap[gap.reason]
    const start = Math.max(from, Date.parse(gap.from))
    const end = Math.min(now, gap.to === null ? now : Date.parse(gap.to))
    if (state === undefined || end <= start) return segments
    const cut = segments.flatMap(segment => {
      if (segment.state !== "unknown" || segment.to <= start || segment.from >= end) return [segment]
      const parts: Segment[] = [
        {state: "online", from: segment.from, to: Math.max(segment.from, start)},
        {state, from: Math.max(segment.from, start), to: Math.min(segment.to, end)},
        {state: "unknown", from: Math.min(segment.to, end), to: segment.to},
      ]
      return parts.filter(part => part.to > part.from)
    })
    return merge(cut)
  }

/** Joins neighbours of one state and drops segments without length. */
const merge = (segments: readonly Segment[]): readonly Segment[] =>
  segments.reduce<Segment[]>((merged, segment) => {
    const last = merged.at(-1)
    if (segment.to <= segment.from) return merged
    if (last?.state === segment.state) merged[merged.length - 1] = {...last, to: segment.to}
    else merged.push(segment)
    return merged
  }, [])

/**
 * Returns the share of the known time in which an endpoint was online, from 0 to 1, and its number of interruptions.
 */
export const summaryOf = (segments: readonly Segment[]): {readonly online: number; readonly breaks: number} => {
  const known = segments.filter(({state}) => state !== "unknown")
  const length = (some: readonly Segment[]) => some.reduce((sum, {from, to}) => sum + to - from, 0)
  const total = length(known)
  const online = known.filter(({state}) => state === "online")
  const breaks = known.filter(({state}, index) => state !== "online" && known[index - 1]?.state === "online").length
  return {online: total === 0 ? 0 : length(online) / total, breaks}
}
