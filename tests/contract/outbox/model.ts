import {noPolicy, type Policy} from "../../../server/endpoints/policy.ts"
import type {Timing} from "../../../server/outbox/delivery.ts"

/** What a platform does with one attempt. `lose` and `stall` never answer; of the two, `lose` has taken the message. */
export type Outcome = "take" | "fail" | "refuse" | "wait" | "lose" | "stall"

export const timing: Timing = {retry: {first: 1, longest: 2}, limit: 3, mostAttempts: 3}

/** One endpoint of each kind. */
export const policies: Readonly<Record<string, Policy>> = {
  held: noPolicy,
  repeating: {...noPolicy, onUnknown: "retry"},
  idempotent: {...noPolicy, idempotent: true},
  resuming: {...noPolicy, resumes: true},
}

export const policyOf = (endpoint: string): Policy => policies[endpoint] ?? noPolicy

/** What the database has of one message. */
export interface Stored {
  readonly state: string
  readonly attempt: number
  readonly spared: number
  readonly reason: string | null
}

/** One message in the model: what was done to it, and what may be true of it therefore. */
export class Track {
  readonly endpoint: string
  readonly channel: string
  /** Its storing was acknowledged. */
  isStored = false
  /** It was refused, by a pause: it must never be seen. */
  isRefused = false
  /** An operator sent it again or gave it up: it may stand behind newer ones. */
  isTouched = false
  /** An operator gave it up, for good. */
  isGivenUp = false
  readonly calls: Outcome[] = []
  arrivals = 0
  /** How often an operator had it sent again. */
  #again = 0
  /** How many calls there were when the attempts began to count anew. */
  #base = 0
  /** A process died since the attempts began to count: what it did last may have been forgotten. */
  #deaths = 0
  #deathsEver = 0

  constructor(endpoint: string, channel: string) {
    this.endpoint = endpoint
    this.channel = channel
  }

  call(outcome: Outcome): void {
    this.calls.push(outcome)
    if (outcome === "take" || outcome === "lose") this.arrivals++
  }

  died(): void {
    this.#deaths++
    this.#deathsEver++
  }

  /** An operator had it sent again, after so many calls: attempts count anew. */
  again(calls: number): void {
    this.#again++
    this.#base = calls
    this.#deaths = 0
  }

  /** What does not hold of a message at rest, with nothing left to do; empty where all does. */
  faults(stored: Stored | undefined): readonly string[] {
    if (this.isRefused) return stored === undefined ? [] : ["it was refused, and is there"]
    if (this.isGivenUp) return stored?.state === "discarded" ? [] : [`it was given up, and is ${stored?.state}`]
    if (stored === undefined) return this.isStored ? ["it was acknowledged, and is not there"] : []
    const told = this.#deaths === 0 ? this.#exact(stored) : this.#possible(stored)
    return [...told, ...this.#doubled()]
  }

  /** No process has died: its state follows from what the platform did. */
  #exact(stored: Stored): readonly string[] {
    const expected = this.#expected()
    const faults = stored.state === expected ? [] : [`it is ${stored.state}, and the model says ${expected}`]
    if (stored.attempt < this.calls.length) faults.push(`attempt ${stored.attempt} after ${this.calls.length} calls`)
    return faults
  }

  #expected(): string {
    const since = this.calls.slice(this.#base)
    const last = since.at(-1)
    const counted = since.filter(outcome => outcome !== "wait").length
    if (last === undefined || last === "wait") return "queued"
    if (last === "take") return "sent"
    if (last === "refuse") return "failed"
    if (last !== "fail" && !repeats(policyOf(this.endpoint), last)) return "unknown"
    return counted >= timing.mostAttempts ? "dead" : "queued"
  }

  /** A process died: its last attempt may not have begun, or its end may have been forgotten. */
  #possible({state, reason}: Stored): readonly string[] {
    const since = this.calls.slice(this.#base)
    const last = since.at(-1)
    const failures = since.filter(outcome => outcome !== "wait" && outcome !== "take").length
    switch (state) {
      case "sent":
        return last === "take" ? [] : [`it is sent, and its last call was ${last}`]
      case "failed":
        return last === "refuse" ? [] : [`it has failed, and its last call was ${last}`]
      case "unknown": {
        const isTimedOut = (last === "lose" || last === "stall") && reason === "timed_out"
        const isHeld = policyOf(this.endpoint).onUnknown === "hold" && !policyOf(this.endpoint).idempotent
        return isHeld && (isTimedOut || reason === "host_ended") ? [] : [`it is unknown (${reason}) after ${last}`]
      }
      case "dead":
        return failures + this.#deaths >= timing.mostAttempts ? [] : [`it is dead after ${failures} failures`]
      default:
        return [`it is ${state}, with nothing left to do`]
    }
  }

  /** What may arrive more than once, and how often; what is held for a person arrives once for each decision. */
  #doubled(): readonly string[] {
    const policy = policyOf(this.endpoint)
    const silent = this.calls.filter(outcome => outcome === "lose" && repeats(policy, outcome)).length
    const forgotten = policy.onUnknown === "retry" || policy.idempotent ? this.#deathsEver : 0
    const most = 1 + this.#again + silent + forgotten
    return this.arrivals <= most ? [] : [`it arrived ${this.arrivals} times, ${most} at most are allowed`]
  }
}

/** Is a message sent again by itself though the last attempt may have arrived? */
const repeats = (policy: Policy, last: Outcome | undefined): boolean =>
  policy.idempotent || policy.onUnknown === "retry" || (policy.resumes && (last === "lose" || last === "stall"))
