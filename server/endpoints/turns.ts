interface Waiting {
  readonly channels: readonly string[]
  go(): void
}

/** Holds back deliveries of channels that are being filled, and releases them in the order in which they came. */
export class Turns {
  /** The held channels; undefined, for all of them, while they are not known yet. */
  #kept: Set<string> | undefined
  #waiting: Waiting[] = []
  /** The channels of waiting deliveries. */
  readonly #held = new Set<string>()

  get waiting(): number {
    return this.#waiting.length
  }

  /** Returns undefined if the delivery need not wait. A delivery without channels never waits. */
  wait(channels: readonly string[]): Promise<void> | undefined {
    if (!this.#waits(channels)) return undefined
    const {promise, resolve} = Promise.withResolvers<void>()
    this.#add({channels, go: resolve})
    return promise
  }

  /** Holds only these channels from now on. */
  keep(channels: readonly string[]): void {
    this.#kept = new Set(channels)
    this.#release()
  }

  done(channel: string): void {
    this.#kept?.delete(channel)
    this.#release()
  }

  /** Holds no channel any more. */
  open(): void {
    this.keep([])
  }

  /** Releases what need not wait. A delivery of several channels holds back others, so each channel keeps its order. */
  #release(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#held.clear()
    for (const each of waiting) {
      if (this.#waits(each.channels)) this.#add(each)
      else each.go()
    }
  }

  #add(each: Waiting): void {
    this.#waiting.push(each)
    for (const channel of each.channels) this.#held.add(channel)
  }

  #waits(channels: readonly string[]): boolean {
    const kept = this.#kept
    return channels.some(channel => kept === undefined || kept.has(channel) || this.#held.has(channel))
  }
}
