/** So many late exceptions within so many milliseconds keep a plugin out until the next generation. */
const most = 3
const within = 10 * 60_000

/** Counts late exceptions by plugin. */
export class Quarantine {
  readonly #times = new Map<string, readonly number[]>()

  /** True when this exception is one too many. */
  record(plugin: string, now: number): boolean {
    const times = [...(this.#times.get(plugin) ?? []), now].filter(time => now - time < within)
    this.#times.set(plugin, times)
    return times.length >= most
  }

  clear(): void {
    this.#times.clear()
  }
}
