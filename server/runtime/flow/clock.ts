/** A span of time, in milliseconds since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The Host's time, for everything that falls due later. A plugin test uses a clock that it sets itself. */
export interface Clock {
  /** Milliseconds since 1970. The operator may set this clock forward and back. For stored times. */
  now(): number
  /** Milliseconds of a monotonic clock from an arbitrary start. For waits within one run. */
  elapsed(): number
  /** The longest timer, in milliseconds. Then the Host looks at the clock again: the operator may have set it. */
  readonly longestWait: number
  /** The Host may fire items together that fall due within this time after a firing, in milliseconds. */
  readonly togetherFor: number
  /** Calls `wake` once, after this time by the monotonic clock. Returns a function that cancels the call. */
  wait(milliseconds: number, wake: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  longestWait: 30_000,
  togetherFor: 50,
  wait: (milliseconds, wake) => {
    const timer = setTimeout(wake, milliseconds)
    return () => clearTimeout(timer)
  },
}
