export interface Backoff {
  /** The pause after the first attempt, and the longest one, in milliseconds. */
  readonly first: number
  readonly longest: number
}

/**
 * The pause after so many failed attempts (1 and up), in milliseconds: doubled each time, and between half and the whole
 * of that by chance, so that many clients do not come back at once (exponential backoff with equal jitter). `random`
 * returns a number from 0 to 1.
 */
export const pauseAfter = (attempts: number, {first, longest}: Backoff, random: () => number = Math.random): number => {
  const whole = Math.min(longest, first * 2 ** Math.min(attempts - 1, 30))
  return whole / 2 + (random() * whole) / 2
}
