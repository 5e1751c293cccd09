import {beforeNextRun} from "../../runtime/flow/handler-slots.ts"
import {repeat} from "../../runtime/flow/periodic.ts"
import type {Sample, StateSeconds} from "./sample.ts"

/** The intervals of the checks while the process works and while it rests, in milliseconds. */
const periods = {working: 200, resting: 1000} as const

/** The process rests if it used less processor time in a second, in microseconds. */
const restful = 50_000

/** The least interval between two checks of the states, in milliseconds. */
const statesEvery = 900

/** In milliseconds. After a longer pause, the process was suspended with its machine and did not run meanwhile. */
const longestAway = 10_000

export interface Watched {
  readonly name: string
  readonly state: string
}

export type Seen = Pick<Sample, "ran" | "delay" | "endpoints" | "subjects">

/** Things with states over time: endpoints, and the subjects of the status page. */
export interface Watches {
  readonly endpoints: () => readonly Watched[]
  readonly subjects: () => readonly Watched[]
}

/**
 * Checks the clock and the states: five times a second from the start of a handler until the process rests, and then
 * once a second. The delay of a check shows how long the event loop was blocked.
 */
export class Watch {
  readonly #watches: Watches
  readonly #now: () => number
  #end = () => {}
  /** Ends the quick checks, or the wait for the next handler. */
  #endPace = () => {}
  #period: number = periods.resting
  /** The processor time at the last second, in microseconds. */
  #used = 0
  #last = 0
  #ran = 0
  #delay = 0
  /** The time since the states were checked, in milliseconds. */
  #since = 0
  readonly #endpoints = new StateTimes()
  readonly #subjects = new StateTimes()

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(watches: Watches, now = () => performance.now()) {
    this.#watches = watches
    this.#now = now
  }

  start(): void {
    this.#last = this.#now()
    this.#end = repeat(periods.resting, () => this.#pace())
    this.#setPeriod(periods.working)
  }

  stop(): void {
    this.#end()
    this.#endPace()
  }

  look(): void {
    const now = this.#now()
    const passed = now - this.#last
    this.#last = now
    if (passed > longestAway) return
    this.#ran += passed
    this.#since += passed
    this.#delay = Math.max(this.#delay, passed - this.#period)
    if (this.#since >= statesEvery) this.#lookAtStates()
  }

  #pace(): void {
    const {user, system} = process.cpuUsage()
    const used = user + system - this.#used
    this.#used = user + system
    if (this.#period === periods.resting) this.look()
    this.#setPeriod(used < restful ? periods.resting : periods.working)
  }

  #setPeriod(period: number): void {
    if (this.#period === period) return
    this.look()
    this.#period = period
    this.#endPace()
    const work = () => this.#setPeriod(periods.working)
    this.#endPace = period === periods.resting ? beforeNextRun(work) : repeat(period, () => this.look())
  }

  /** Returns what was seen since the last call. */
  take(): Seen {
    this.#lookAtStates()
    const seen = {
      ran: inSeconds(this.#ran),
      delay: Math.round(this.#delay * 10) / 10,
      endpoints: this.#endpoints.take(),
      subjects: this.#subjects.take(),
    }
    this.#ran = 0
    this.#delay = 0
    return seen
  }

  #lookAtStates(): void {
    this.#endpoints.add(this.#watches.endpoints(), this.#since)
    this.#subjects.add(this.#watches.subjects(), this.#since)
    this.#since = 0
  }
}

/** How long each of several things was in each state. */
class StateTimes {
  #times = new Map<string, Map<string, number>>()

  /** `passed` in milliseconds. */
  add(watched: readonly Watched[], passed: number): void {
    for (const {name, state} of watched) {
      const times = this.#times.get(name) ?? new Map<string, number>()
      this.#times.set(name, times.set(state, (times.get(state) ?? 0) + passed))
    }
  }

  take(): Readonly<Record<string, StateSeconds>> {
    const taken = Object.fromEntries([...this.#times].map(([name, times]) => [name, secondsOf(times)]))
    this.#times = new Map()
    return taken
  }
}

const inSeconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10

const secondsOf = (states: ReadonlyMap<string, number>): StateSeconds =>
  Object.fromEntries([...states].map(([state, time]) => [state, inSeconds(time)]))
