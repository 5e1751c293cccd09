/** Time as the scheduler knows it; tests have their own. */
export interface Clock {
  /** Milliseconds since 1970; may be set forward and back. */
  now(): number
  /** How long a timer may run before the clock is looked at again, in milliseconds: it may have been set. */
  readonly longestWait: number
  /** Calls once, after so many milliseconds that nobody can set; resolves to how it is called off. */
  wait(milliseconds: number, wake: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  longestWait: 30_000,
  wait: (milliseconds, wake) => {
    const timer = setTimeout(wake, milliseconds)
    return () => clearTimeout(timer)
  },
}
