export interface TokenBucketLimits {
  /** The number of tokens in a full bucket. */
  readonly burst: number
  /** One token is added every `interval` milliseconds. */
  readonly interval: number
}

/**
 * A rate limit: a token bucket, full at first, that allows `burst` calls at once and then one every `interval`
 * milliseconds. Times are milliseconds of one clock that never goes back.
 */
export class TokenBucket {
  readonly #limits: TokenBucketLimits
  #tokens = 0
  #at = Number.NEGATIVE_INFINITY

  constructor(limits: TokenBucketLimits) {
    this.#limits = limits
  }

  /** Takes a token. Returns false if there is none. */
  take(now = performance.now()): boolean {
    this.#fill(now)
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** Takes the next token in any case. Returns the milliseconds until it is available, 0 if it already is. */
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
