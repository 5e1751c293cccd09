import type {AgentRunDetail} from "../../../../../shared/api/agents/agents.ts"

/** A stretch of time, in milliseconds since 1970. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A position in the drawing: fractions of its width, from 0 to 1. */
export interface Bar {
  readonly left: number
  readonly width: number
}

/** Time without a running step, not drawn to scale. */
export interface Cut extends Bar {
  readonly milliseconds: number
}

export interface Axis extends Stretch {
  readonly cuts: readonly Cut[]
  barOf(stretch: Stretch): Bar
}

type Step = Pick<AgentRunDetail["trail"][number], "begunAt" | "endedAt" | "state">
type Run = Pick<AgentRunDetail, "createdAt" | "endedAt"> & {readonly trail: readonly Step[]}

/** Returns when a step ran; undefined if it has not started. A step that was cut off ends where it started. */
export const stretchOf = ({begunAt, endedAt, state}: Step, now: number): Stretch | undefined => {
  if (begunAt === null) return undefined
  const from = Date.parse(begunAt)
  const to = endedAt === null ? (state === "begun" ? now : from) : Date.parse(endedAt)
  // If the clock was set back, a step never ends before its start.
  return {from, to: Math.max(from, to)}
}

/** Returns when a person was asked. */
export const askedOf = (
  {askedAt, decidedAt, state}: Pick<AgentRunDetail["approvals"][number], "askedAt" | "decidedAt" | "state">,
  now: number,
): Stretch => {
  const from = Date.parse(askedAt)
  const to = decidedAt === null ? (state === "waiting" || state === "held" ? now : from) : Date.parse(decidedAt)
  return {from, to: Math.max(from, to)}
}

/** Sorts stretches and joins those that touch. */
const joined = (stretches: readonly Stretch[]): readonly Stretch[] =>
  stretches
    .toSorted((one, other) => one.from - other.from)
    .reduce<Stretch[]>((found, {from, to}) => {
      const last = found.at(-1)
      if (last !== undefined && from <= last.to) found[found.length - 1] = {from: last.from, to: Math.max(last.to, to)}
      else found.push({from, to})
      return found
    }, [])

interface Piece extends Stretch {
  /** The drawn width, in milliseconds. */
  readonly drawn: number
  readonly isCut: boolean
}

/**
 * Splits the whole time into steps and the waits between them. A wait that is longer than all steps together is drawn
 * short.
 */
const piecesOf = (busy: readonly Stretch[], {from, to}: Stretch): readonly Piece[] => {
  const worked = busy.reduce((sum, step) => sum + step.to - step.from, 0)
  const edges = [from, ...busy.flatMap(step => [step.from, step.to]), to]
  const stretches = edges.slice(1).map((end, index) => ({from: edges[index] ?? from, to: end, isIdle: index % 2 === 0}))
  const isLong = (stretch: (typeof stretches)[number]) =>
    stretch.isIdle && worked > 0 && stretch.to - stretch.from > worked
  const cuts = stretches.filter(isLong).length
  return stretches
    .filter(stretch => stretch.to > stretch.from)
    .map(stretch => ({
      ...stretch,
      isCut: isLong(stretch),
      drawn: isLong(stretch) ? worked / Math.max(8, 2 * cuts) : stretch.to - stretch.from,
    }))
}

/** Returns the time axis of a run: from its request to its end, or to `now`. */
export const axisOf = (run: Run, now: number): Axis => {
  const busy = joined(run.trail.flatMap(step => stretchOf(step, now) ?? []))
  const created = Date.parse(run.createdAt)
  const from = Math.min(created, busy[0]?.from ?? created)
  const to = Math.max(run.endedAt === null ? now : Date.parse(run.endedAt), busy.at(-1)?.to ?? from, from)
  const pieces = piecesOf(busy, {from, to})
  const whole = pieces.reduce((sum, {drawn}) => sum + drawn, 0)
  const drawnBefore = (time: number): number =>
    pieces.reduce((sum, piece) => {
      const part = (Math.min(piece.to, Math.max(piece.from, time)) - piece.from) / (piece.to - piece.from)
      return sum + piece.drawn * part
    }, 0)
  const barOf = (stretch: Stretch): Bar => {
    const left = whole === 0 ? 0 : drawnBefore(stretch.from) / whole
    return {left, width: whole === 0 ? 0 : drawnBefore(stretch.to) / whole - left}
  }
  const cuts = pieces.filter(({isCut}) => isCut).map(piece => ({...barOf(piece), milliseconds: piece.to - piece.from}))
  return {from, to, cuts, barOf}
}
