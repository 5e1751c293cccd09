import type {Position} from "../../shared/api/plugin-views.ts"
import {Histogram, RecentCounts} from "../../shared/metrics/meter.ts"
import type {Dispatch, Outcome} from "../inbox/intake/handling.ts"
import type {EarlierEnds, EarlierFailure} from "../inbox/newest.ts"

/** The newest failure of one plugin instance's handlers. */
export interface LastFailure extends EarlierFailure {
  readonly place: Position | undefined
}

/** How long one handler took since the Host started; times are in seconds. */
export interface HandlerTimes {
  readonly handler: string
  readonly runs: number
  readonly mean: number
  readonly longest: number
}

/** How long the handlers of one plugin instance took, and how they ended. */
export class HandlerFigures {
  /** `root/<plugin_name>`, or `host` for the Host's own handlers. */
  readonly owner: string
  readonly ends: Record<Outcome["is"], number> = {handled: 0, failed: 0, interrupted: 0}
  readonly seconds = new Histogram()
  /** Attempts that ended in each of the last minutes, and the failed ones among them. */
  readonly recent = {ended: new RecentCounts(), failed: new RecentCounts()}
  lastFailure: LastFailure | undefined
  readonly #times = new Map<string, {runs: number; sum: number; longest: number}>()

  constructor(owner: string) {
    this.owner = owner
  }

  /** `now` is in milliseconds of the monotonic clock. */
  count(handler: string, seq: number, outcome: Outcome, begun: number, now: number): void {
    const seconds = (now - begun) / 1000
    this.ends[outcome.is]++
    this.seconds.observe(seconds)
    this.recent.ended.add(now)
    const times = this.#times.get(handler) ?? {runs: 0, sum: 0, longest: 0}
    times.runs++
    times.sum += seconds
    times.longest = Math.max(times.longest, seconds)
    this.#times.set(handler, times)
    if (outcome.is !== "failed") return
    this.recent.failed.add(now)
    this.lastFailure = {at: Date.now(), handler, seq, error: outcome.error, place: outcome.at}
  }

  /** Counts attempts of earlier runs. `now` is on both clocks. */
  recall({minute, ended, failed}: EarlierEnds, now: {readonly at: number; readonly passed: number}): void {
    const ago = Math.floor(now.at / 60_000) - minute
    this.recent.ended.add(now.passed, ended, ago)
    this.recent.failed.add(now.passed, failed, ago)
  }

  /** Returns the handler whose attempts take longest on average. */
  slowest(): HandlerTimes | undefined {
    const all = [...this.#times].map(([handler, {runs, sum, longest}]) => ({handler, runs, mean: sum / runs, longest}))
    return all.toSorted((one, other) => other.mean - one.mean)[0]
  }
}

/** Times handlers. Uses plain integers, since every handler passes through it. */
export class HandlerMeter {
  /** How often the event loop was blocked for longer than the watchdog waits. */
  blocks = 0
  readonly #byOwner = new Map<string, HandlerFigures>()
  readonly #byHandler = new Map<string, HandlerFigures>()

  /** The plugin instances whose handlers ran since the Host started. */
  get owners(): readonly HandlerFigures[] {
    return [...this.#byOwner.values()].filter(({seconds}) => seconds.count > 0)
  }

  /** Returns the figures of one plugin instance, by its path; undefined if no handler ended in the last day. */
  of(owner: string): HandlerFigures | undefined {
    return this.#byOwner.get(owner)
  }

  /** Returns the same dispatch with timing. */
  measure(dispatch: Dispatch): Dispatch {
    return {
      ...dispatch,
      run: async (stored, handler, attempt) => {
        const begun = performance.now()
        const outcome = await dispatch.run(stored, handler, attempt)
        this.#of(handler).count(handler, stored.event.sn, outcome, begun, performance.now())
        return outcome
      },
    }
  }

  /** Adds what the marks say of earlier runs. */
  recall(ends: readonly EarlierEnds[], failures: readonly EarlierFailure[] = []): void {
    const now = {at: Date.now(), passed: performance.now()}
    for (const end of ends) this.#of(end.handler).recall(end, now)
    for (const failure of failures) this.#of(failure.handler).lastFailure ??= {...failure, place: undefined}
  }

  #of(handler: string): HandlerFigures {
    return this.#byHandler.get(handler) ?? this.#meet(handler)
  }

  #meet(handler: string): HandlerFigures {
    const owner = ownerOf(handler)
    const figures = this.#byOwner.get(owner) ?? new HandlerFigures(owner)
    this.#byOwner.set(owner, figures)
    this.#byHandler.set(handler, figures)
    return figures
  }
}

/** `root/<plugin_name>/<kind>/<name>`; the Host's own handlers are `host/<name>`. */
const ownerOf = (handler: string): string => {
  const [root = "", plugin = ""] = handler.split("/")
  return root === "root" ? `root/${plugin}` : root
}
