export interface Backoff {
  /** The pause after the first attempt, and the longest pause, in milliseconds. */
  readonly first: number
  readonly longest: number
}

/**
 * Returns the pause after `attempts` failed attempts (from 1), in milliseconds. It doubles each time. A random part of
 * up to half is then cut, so that many clients do not reconnect at once (exponential backoff with equal jitter).
 * `random` returns a number from 0 to 1.
 */
export const pauseAfter = (attempts: number, {first, longest}: Backoff, random: () => number = Math.random): number => {
  const whole = Math.min(longest, first * 2 ** Math.min(attempts - 1, 30))
  return whole / 2 + (random() * whole) / 2
}
