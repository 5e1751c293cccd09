/** This many late exceptions within this time, in milliseconds, exclude a plugin until the next generation. */
const most = 3
const within = 10 * 60_000

/** Counts late exceptions by plugin, within one generation. */
export class Quarantine {
  #generation = 0
  readonly #times = new Map<string, readonly number[]>()

  /** Returns true if this exception is one too many. `now` comes from a clock that never goes back. */
  record(plugin: string, generation: number, now = performance.now()): boolean {
    if (generation !== this.#generation) this.#times.clear()
    this.#generation = generation
    const times = [...(this.#times.get(plugin) ?? []), now].filter(time => now - time < within)
    this.#times.set(plugin, times)
    return times.length >= most
  }
}
