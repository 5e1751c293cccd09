/** How long ago everything counts as received if the adapter cannot tell, in milliseconds. */
const usualLag = 10_000

/**
 * Up to which moment everything that the platform sent is stored. Messages reach the adapter later and are stored even
 * later, so this is never the present. Uses a monotonic clock.
 */
export class Completeness {
  readonly #now: () => number
  /** Events that are being stored, oldest first, each with the moment up to which all was received when it came. */
  readonly #storing = new Set<{readonly heard: number; readonly ended: Promise<void>}>()
  #lag: () => number | undefined = () => undefined
  /** The assumed lag if the adapter cannot tell. */
  #usual = usualLag
  #end: number | undefined

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The endpoint is online. `lag` returns what its adapter says about it, if anything. */
  begin(lag: () => number | undefined): void {
    this.#lag = lag
    this.#usual = usualLag
    this.#end = undefined
  }

  /** The connection is gone, and was last known to work this many milliseconds ago. Only the first call counts. */
  end(ago = 0): void {
    this.#end ??= Math.min(this.#now() - ago, this.#complete())
  }

  /** Everything sent up to this many milliseconds ago is stored. */
  get lag(): number {
    return this.#now() - this.#complete()
  }

  /** Runs the storing of an event. Until it is stored, nothing after it counts as complete. */
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

  /** The adapter has caught up, as far as it can tell. Resolves when the received events are stored. */
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

  /** Reads the lag from the adapter. An invalid value or an error counts as unknown. */
  #told(): number {
    try {
      const lag = this.#lag() ?? this.#usual
      return lag >= 0 ? lag : usualLag
    } catch {
      return usualLag
    }
  }
}
