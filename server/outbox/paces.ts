import {toJson} from "../../shared/json.ts"
import type {RateLimit} from "../../shared/sdk/adapter/sender.ts"
import {Pace} from "./pace.ts"

/** The turns of all endpoints, each with its own limits; an endpoint whose limits change begins to count anew. */
export class Paces<T> {
  readonly #wake: (item: T) => void
  readonly #byEndpoint = new Map<string, {readonly limits: string; readonly pace: Pace<T>}>()

  constructor(wake: (item: T) => void) {
    this.#wake = wake
  }

  of(endpoint: string, limits: readonly RateLimit[]): Pace<T> {
    const known = this.#byEndpoint.get(endpoint)
    const text = toJson(limits)
    if (known?.limits === text) return known.pace
    const pace = new Pace(limits, this.#wake)
    this.#byEndpoint.set(endpoint, {limits: text, pace})
    for (const item of known?.pace.stop() ?? []) this.#wake(item)
    return pace
  }

  /** Whoever has this key at this endpoint does not send now. */
  leave(endpoint: string, key: string): void {
    this.#byEndpoint.get(endpoint)?.pace.leave(key)
  }

  stop(): void {
    for (const {pace} of this.#byEndpoint.values()) pace.stop()
  }
}
