import type {Endpoint} from "../endpoint.ts"

/** In milliseconds since 1970, and by a clock that does not go back. */
export interface Moment {
  readonly at: number
  readonly passed: number
}

/** An endpoint that is online, and when it came. */
export interface Online {
  readonly endpoint: Endpoint
  readonly came: Moment
}

/** Up to when it has missed nothing. What was said before it came is in the gap that ended then. */
export const completeOf = ({endpoint, came}: Online): Moment => {
  // Taken first: rather too early.
  const [at, passed] = [Date.now(), performance.now()]
  const {lag} = endpoint
  return passed - lag <= came.passed ? came : {at: at - lag, passed: passed - lag}
}
