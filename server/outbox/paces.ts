import {toJson} from "../../shared/json.ts"
import type {RateLimit} from "../../shared/sdk/adapter/sender.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"
import {Pace} from "./pace.ts"

/** The turns of all endpoints, each with its own limits. An endpoint whose limits change starts counting from zero. */
export class Paces<T> {
  readonly #wake: (item: T) => void
  readonly #clock: Clock
  readonly #byEndpoint = new Map<string, {readonly limits: string; readonly pace: Pace<T>}>()

  constructor(wake: (item: T) => void, clock: Clock = systemClock) {
    this.#wake = wake
    this.#clock = clock
  }

  of(endpoint: string, limits: readonly RateLimit[]): Pace<T> {
    const known = this.#byEndpoint.get(endpoint)
    const text = toJson(limits)
    if (known?.limits === text) return known.pace
    const pace = new Pace(limits, this.#wake, this.#clock)
    this.#byEndpoint.set(endpoint, {limits: text, pace})
    for (const item of known?.pace.stop() ?? []) this.#wake(item)
    return pace
  }

  /** The item of this key does not send at this endpoint now. */
  leave(endpoint: string, key: string): void {
    this.#byEndpoint.get(endpoint)?.pace.leave(key)
  }

  stop(): void {
    for (const {pace} of this.#byEndpoint.values()) pace.stop()
  }
}
