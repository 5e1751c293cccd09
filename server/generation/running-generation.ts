import type {ProjectConfig} from "../../shared/config/config.ts"
import {Problem} from "../../shared/problems.ts"
import type {Generation, Pin} from "./generation.ts"

/** The running generation, for the parts of a Host: they exist before the first one is committed. */
export class RunningGeneration {
  /** Undefined before the first one. Only `Generations` sets it. */
  current: Generation | undefined
  /** The pin that holds. Only `Generations` sets it. */
  pin: Pin | undefined
  readonly #hearers: ((generation: Generation) => void)[] = []
  /** Changes run one after the other. */
  #changing: Promise<unknown> = Promise.resolve()

  /** Throws `starting` before the first generation. */
  require(): Generation {
    if (this.current === undefined) throw new Problem("starting", "no generation is committed yet")
    return this.current
  }

  /** Its configuration. Throws as `require`. */
  get settings(): ProjectConfig {
    return this.require().config.config
  }

  /** Calls `hear` with every generation that was committed and swapped in, in the order of these calls. */
  onCommit(hear: (generation: Generation) => void): void {
    this.#hearers.push(hear)
  }

  committed(generation: Generation): void {
    for (const hear of this.#hearers) hear(generation)
  }

  /** Runs a change after the ones before it. */
  change<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change)
    this.#changing = changed.catch(() => {})
    return changed
  }

  /** Resolves when no change is in progress. */
  async idle(): Promise<void> {
    await this.#changing
  }
}
