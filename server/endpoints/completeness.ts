/** What a platform had so long ago, in milliseconds, counts as heard where the adapter cannot tell. */
const usualLag = 10_000

/**
 * Up to when everything that an endpoint's platform had is stored. What is said there reaches the adapter later, and is
 * stored later still, so that is never quite now. Goes by a clock that does not go back.
 */
export class Completeness {
  readonly #now: () => number
  /** What is being stored, the oldest first: up to when everything was heard as it came. */
  readonly #storing = new Set<{readonly heard: number; readonly ended: Promise<void>}>()
  #lag: () => number | undefined = () => undefined
  /** What counts as heard where the adapter cannot tell. */
  #usual = usualLag
  #end: number | undefined

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The endpoint is online; `lag` is what its adapter tells of it, if it does. */
  begin(lag: () => number | undefined): void {
    this.#lag = lag
    this.#usual = usualLag
    this.#end = undefined
  }

  /** The connection is gone, and was last known to be good so many milliseconds ago. The first call counts. */
  end(ago = 0): void {
    this.#end ??= Math.min(this.#now() - ago, this.#complete())
  }

  /** All that was said up to so many milliseconds ago is stored. */
  get lag(): number {
    return this.#now() - this.#complete()
  }

  /** Until it is stored, nothing after it is complete. */
  async storing<T>(store: () => Promise<T>): Promise<T> {
    const {promise: ended, resolve: end} = Promise.withResolvers<void>()
    const event = {heard: this.#heard(), ended}
    this.#storing.add(event)
    try {
      return await store()
    } finally {
      this.#storing.delete(event)
      end()
    }
  }

  /** The adapter has caught up, as far as it can: where it cannot tell, nothing is on its way. Resolves when nothing of that is being stored. */
  async caughtUp(): Promise<void> {
    this.#usual = 0
    await Promise.all([...this.#storing].map(({ended}) => ended))
  }

  #complete(): number {
    const [oldest] = this.#storing
    return Math.min(this.#heard(), oldest?.heard ?? Number.POSITIVE_INFINITY)
  }

  #heard(): number {
    return Math.min(this.#now() - this.#told(), this.#end ?? Number.POSITIVE_INFINITY)
  }

  /** A plugin's word: what is no time, or thrown, says nothing. */
  #told(): number {
    try {
      const lag = this.#lag() ?? this.#usual
      return lag >= 0 ? lag : usualLag
    } catch {
      return usualLag
    }
  }
}
