export interface TokenBucketLimits {
  /** How many tokens a full bucket holds. */
  readonly burst: number
  /** The milliseconds in which one token is added. */
  readonly interval: number
}

/**
 * A limit of so many calls at once and one in so many milliseconds after that: a token bucket, full at first. Times are
 * milliseconds of one clock that does not go back.
 */
export class TokenBucket {
  readonly #limits: TokenBucketLimits
  #tokens = 0
  #at = Number.NEGATIVE_INFINITY

  constructor(limits: TokenBucketLimits) {
    this.#limits = limits
  }

  /** Takes a token; false where none is there. */
  take(now = performance.now()): boolean {
    this.#fill(now)
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** Takes the next token in any case, and returns the milliseconds until it is there: 0 for one that is. */
  reserve(now = performance.now()): number {
    this.#fill(now)
    this.#tokens--
    return Math.max(0, -this.#tokens * this.#limits.interval)
  }

  #fill(now: number): void {
    const {burst, interval} = this.#limits
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#at) / interval)
    this.#at = now
  }
}
