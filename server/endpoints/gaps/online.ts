import type {Endpoint} from "../endpoint.ts"

/** In milliseconds since 1970, and by a monotonic clock. */
export interface Moment {
  readonly at: number
  readonly passed: number
}

export interface Online {
  readonly endpoint: Endpoint
  readonly came: Moment
}

/** Returns up to when it has missed nothing. Messages from before it came online belong to the gap that ended then. */
export const completeOf = ({endpoint, came}: Online): Moment => {
  // Read first: a moment too early is safe.
  const [at, passed] = [Date.now(), performance.now()]
  const {lag} = endpoint
  return passed - lag <= came.passed ? came : {at: at - lag, passed: passed - lag}
}
