import {type Backoff, pauseAfter} from "../../shared/sdk/adapter/backoff.ts"
import {isRefusal, type Refusal} from "../../shared/sdk/adapter/refusal.ts"

/** How long a connection must last to reset all counts, in milliseconds. */
export const settled = 30_000

/** The pauses after errors that are no refusals, such as a lost connection. */
const quick: Backoff = {first: 500, longest: 30_000}

const minute = 60_000

/**
 * The pauses after the first, the second and all later refusals in a row, in milliseconds. Discord limits logins to
 * 1,000 a day, and mail and IRC servers ban clients that repeat a refused one. A passing refusal often ends with the
 * deployment that caused it, so its first pause is short.
 */
const pauses = {passing: [quick.first, minute, 5 * minute], lasting: [minute, 4 * minute, 5 * minute]} as const

/** How many lasting refusals in a row end an endpoint, and the least time between the first and the last of them. */
const proof = {times: 3, over: 4 * minute} as const

/** How an attempt ended. Times in milliseconds. */
export interface Ended {
  /** By a monotonic clock. */
  readonly at: number
  /** 0 if it never was online. */
  readonly onlineFor: number
  /** Was the endpoint ever online with this account? */
  readonly isKnown: boolean
}

/** What follows an attempt that has ended. */
export type Next =
  | {readonly is: "retry"; readonly pause: number; readonly refusal?: Why}
  | {readonly is: "failed"; readonly refusal: Why}

type Why = Pick<Refusal, "reason" | "remediation">

/**
 * The policy of every endpoint: it connects for ever, with a pause. Only lasting refusals end it: the first one if it
 * never was online with its account, otherwise three in a row over some minutes.
 */
export class Retries {
  readonly #random: () => number
  #ended = 0
  #refusals = 0
  #lasting: readonly number[] = []

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** The number of the next attempt, counted from the last connection that lasted. */
  get attempt(): number {
    return this.#ended + 1
  }

  after(error: unknown, {at, onlineFor, isKnown}: Ended): Next {
    if (onlineFor > settled) {
      this.#ended = this.#refusals = 0
      this.#lasting = []
    }
    this.#ended++
    if (!isRefusal(error)) {
      this.#lasting = []
      return {is: "retry", pause: pauseAfter(this.#ended, quick, this.#random)}
    }
    const {passing, reason, remediation} = error
    const refusal = {reason, remediation}
    this.#refusals++
    this.#lasting = passing ? [] : [...this.#lasting, at]
    if (!passing && (!isKnown || this.#isProved)) return {is: "failed", refusal}
    const [first, second, later] = pauses[passing ? "passing" : "lasting"]
    const least = [first, second][this.#refusals - 1] ?? later
    return {is: "retry", pause: least * (1 + this.#random() / 10), refusal}
  }

  get #isProved(): boolean {
    const [first = 0] = this.#lasting
    return this.#lasting.length >= proof.times && (this.#lasting.at(-1) ?? 0) - first >= proof.over
  }
}
