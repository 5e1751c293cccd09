import type {Clock} from "../../runtime/flow/clock.ts"
import type {BoundModel} from "./models.ts"

/** How long a model rests after its first failure, and the longest rest, in milliseconds. Each failure doubles it. */
const rests = {first: 30_000, longest: 600_000} as const

/** A failed call, as far as it matters for the next one. */
export interface FailedCall {
  /** Whether a retry of the same call would fail too. */
  readonly isRefused: boolean
  /** The run, if the model may well accept the calls of others. */
  readonly run?: number | undefined
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfter: number
}

interface Rest {
  readonly isRefused: boolean
  readonly failures: number
  /** When it ends, and when the provider accepts another call, by the monotonic clock. */
  readonly until: number
  readonly notBefore: number
}

/** Which model of a list is called next. `pause` is in milliseconds. */
export type NextModel =
  | {readonly is: "ready"; readonly model: BoundModel}
  | {readonly is: "resting"; readonly pause: number}
  | {readonly is: "none"}

/** Which models have failed lately, so that runs begin with one that works. A new Host tries each model again. */
export class Cooling {
  readonly #clock: Pick<Clock, "elapsed">
  readonly #rests = new Map<string, Rest>()

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock
  }

  /** Returns the models for a run in the order to call them: those that rest come last, the soonest of them first. */
  order(models: readonly BoundModel[], run?: number): readonly BoundModel[] {
    const all = models.map(model => ({model, rest: this.restOf(model, run)}))
    const resting = all.flatMap(({model, rest}) => (rest === undefined ? [] : [{model, ...rest}]))
    resting.sort((a, b) => Number(a.isRefused) - Number(b.isRefused) || a.notBefore - b.notBefore)
    return [...all.filter(({rest}) => rest === undefined), ...resting].map(({model}) => model)
  }

  /** Returns which of the models the run calls next. A model that refused its call is no choice while it rests. */
  next(models: readonly BoundModel[], run: number): NextModel {
    const all = models.map(model => ({model, rest: this.restOf(model, run)}))
    const ready = all.find(({rest}) => rest === undefined)
    if (ready !== undefined) return {is: "ready", model: ready.model}
    const accepted = all.flatMap(({rest}) => (rest === undefined || rest.isRefused ? [] : [rest.notBefore]))
    if (accepted.length === 0) return {is: "none"}
    return {is: "resting", pause: Math.max(0, Math.min(...accepted) - this.#clock.elapsed())}
  }

  /** Returns the model's rest, for all runs or for this one; undefined while it is ready. */
  restOf(model: BoundModel, run?: number): Rest | undefined {
    const now = this.#clock.elapsed()
    const found = [keyOf(model), keyOf(model, run)]
      .flatMap(key => this.#rests.get(key) ?? [])
      .filter(({until}) => until > now)
    return found.find(({isRefused}) => isRefused) ?? found[0]
  }

  /** Runs side by side that fail together lengthen the rest once. */
  failed(model: BoundModel, {run, isRefused, retryAfter}: FailedCall): void {
    const now = this.#clock.elapsed()
    for (const [key, {until}] of this.#rests) if (until + rests.longest < now) this.#rests.delete(key)
    const key = keyOf(model, run)
    const before = this.#rests.get(key)
    const isResting = before !== undefined && before.until > now
    const failures = (before?.failures ?? 0) + (isResting ? 0 : 1)
    const rest = Math.min(rests.longest, rests.first * 2 ** (failures - 1))
    const notBefore = now + retryAfter
    const until = Math.max(isResting ? before.until : now + rest, notBefore)
    this.#rests.set(key, {isRefused, failures, until, notBefore})
  }

  succeeded(model: BoundModel): void {
    this.#rests.delete(keyOf(model))
  }
}

/** The key of the provider belongs to it: another one may have credit. */
const keyOf = ({source, settings: {baseURL, key}}: BoundModel, run?: number): string =>
  [source, baseURL, key?.reveal(), run].join(" ")
