import type {Span} from "../../runtime/flow/clock.ts"

/** Why an arriving event is held: it was written before the end of a long outage, or its conversation waits for one. */
export type OutageReason = "outage" | "behind"

/** What is known of when an event was written, in milliseconds since 1970. */
export interface Times {
  /** When the platform says that it was written. */
  readonly timestamp: number
  readonly receivedAt: number
  /** Since when a platform without such times may have kept it. */
  readonly keptSince: number | null
}

/** Returns the time from which an event's age counts. A platform's time in the future counts as the arrival. */
export const sinceOf = ({timestamp, receivedAt, keptSince}: Times): number =>
  Math.min(timestamp, receivedAt, keptSince ?? receivedAt)

/** The same as SQL over a row of the inbox. */
export const sinceInSql = "min(event ->> '$.timestamp', received_at, coalesce(kept_since, received_at))"

/** Returns an age in milliseconds, without the pauses, which do not overlap. Never negative. */
export const ageOf = (since: number, now: number, pauses: readonly Span[]): number => {
  const paused = pauses.reduce((sum, {from, to}) => sum + Math.max(0, Math.min(to, now) - Math.max(from, since)), 0)
  return Math.max(0, now - since - paused)
}
