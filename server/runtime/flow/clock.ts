/** Time as the Host knows it, for all that falls due later. A test of a plugin has one that it sets itself. */
export interface Clock {
  /** Milliseconds since 1970; may be set forward and back. For times that are stored. */
  now(): number
  /** Milliseconds of a clock that nobody sets back, from an arbitrary start. For waits within one run. */
  elapsed(): number
  /** How long a timer may run before the clock is looked at again, in milliseconds: it may have been set. */
  readonly longestWait: number
  /** What falls due within so many milliseconds after a firing may be fired together. */
  readonly togetherFor: number
  /** Calls once, after so many milliseconds that nobody can set; returns how it is called off. */
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
