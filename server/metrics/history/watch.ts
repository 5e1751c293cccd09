import type {StateSeconds} from "./sample.ts"

/** How often it is looked, in milliseconds. */
const period = 200

/** The endpoints are looked at after so many looks at the clock. */
const looksPerEndpoint = 5

/** In milliseconds: a process that was away for longer was suspended with its machine, and did not run meanwhile. */
const longestAway = 10_000

export interface Watched {
  readonly name: string
  readonly state: string
}

export interface Seen {
  /** Seconds. */
  readonly ran: number
  /** Milliseconds. */
  readonly delay: number
  readonly endpoints: Readonly<Record<string, StateSeconds>>
}

/** Looks at the clock and at the endpoints, a few times a second: how late it comes is how long the event loop was held up. */
export class Watch {
  readonly #endpoints: () => readonly Watched[]
  readonly #now: () => number
  #timer: ReturnType<typeof setInterval> | undefined
  #last = 0
  #looks = 0
  #ran = 0
  #delay = 0
  /** Time since the endpoints were looked at, in milliseconds. */
  #since = 0
  #states = new Map<string, Map<string, number>>()

  /** `now` in milliseconds, by a clock that does not go back. */
  constructor(endpoints: () => readonly Watched[], now = () => performance.now()) {
    this.#endpoints = endpoints
    this.#now = now
  }

  start(): void {
    this.#last = this.#now()
    this.#timer = setInterval(() => this.look(), period)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  look(): void {
    const now = this.#now()
    const passed = now - this.#last
    this.#last = now
    if (passed > longestAway) return
    this.#ran += passed
    this.#since += passed
    this.#delay = Math.max(this.#delay, passed - period)
    if (++this.#looks % looksPerEndpoint === 0) this.#lookAtEndpoints()
  }

  /** What was seen since it was last taken. */
  take(): Seen {
    this.#lookAtEndpoints()
    const endpoints = Object.fromEntries([...this.#states].map(([name, states]) => [name, secondsOf(states)]))
    const seen = {ran: inSeconds(this.#ran), delay: Math.round(this.#delay * 10) / 10, endpoints}
    this.#ran = 0
    this.#delay = 0
    this.#states = new Map()
    return seen
  }

  #lookAtEndpoints(): void {
    for (const {name, state} of this.#endpoints()) {
      const states = this.#states.get(name) ?? new Map<string, number>()
      this.#states.set(name, states.set(state, (states.get(state) ?? 0) + this.#since))
    }
    this.#since = 0
  }
}

const inSeconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10

const secondsOf = (states: ReadonlyMap<string, number>): StateSeconds =>
  Object.fromEntries([...states].map(([state, time]) => [state, inSeconds(time)]))
