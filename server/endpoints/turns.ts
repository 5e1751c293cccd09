interface Waiting {
  readonly channels: readonly string[]
  go(): void
}

/** Holds back deliveries of channels that are kept, and lets them go in the order in which they came. */
export class Turns {
  /** Undefined while it is not known which: then all are. */
  #kept: Set<string> | undefined
  #waiting: Waiting[] = []
  /** Channels of what waits. */
  readonly #held = new Set<string>()

  get waiting(): number {
    return this.#waiting.length
  }

  /** Nothing to wait for where it resolves to undefined. One that names no channel waits for nothing. */
  wait(channels: readonly string[]): Promise<void> | undefined {
    if (!this.#waits(channels)) return undefined
    const {promise, resolve} = Promise.withResolvers<void>()
    this.#add({channels, go: resolve})
    return promise
  }

  /** Only these are kept from now on. */
  keep(channels: readonly string[]): void {
    this.#kept = new Set(channels)
    this.#release()
  }

  done(channel: string): void {
    this.#kept?.delete(channel)
    this.#release()
  }

  /** Nothing is kept any more. */
  open(): void {
    this.keep([])
  }

  /** A delivery of several channels that waits for one holds back the others, so that each channel keeps its order. */
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
