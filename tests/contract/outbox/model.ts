import {noPolicy, type Policy} from "../../../server/endpoints/policy.ts"
import type {Timing} from "../../../server/outbox/delivery.ts"

/** How a platform treats one attempt. `lose` and `stall` never answer; with `lose`, the message has arrived. */
export type Outcome = "take" | "fail" | "refuse" | "wait" | "lose" | "stall"

export const timing: Timing = {retry: {first: 1, longest: 2}, limit: 3, mostAttempts: 3}

export const policies: Readonly<Record<string, Policy>> = {
  held: noPolicy,
  repeating: {...noPolicy, onUnknown: "retry"},
  idempotent: {...noPolicy, idempotent: true},
  resuming: {...noPolicy, resumes: true},
}

export const policyOf = (endpoint: string): Policy => policies[endpoint] ?? noPolicy

export interface Stored {
  readonly state: string
  readonly attempt: number
  readonly spared: number
  readonly reason: string | null
}

/** One message in the model: what happened to it, and what may therefore be true of it. */
export class Track {
  readonly endpoint: string
  readonly channel: string
  /** Storing it was acknowledged. */
  isStored = false
  /** A pause refused it: it must never appear. */
  isRefused = false
  /** An operator sent it again or discarded it: it may follow newer messages. */
  isTouched = false
  /** An operator discarded it for good. */
  isGivenUp = false
  isHeld = false
  readonly calls: Outcome[] = []
  arrivals = 0
  /** How often an operator had it sent again. */
  #again = 0
  /** The number of calls when the attempts were reset. */
  #base = 0
  /** Deaths of a process since the attempts were reset: its last attempt may be forgotten. */
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

  /** An operator had it sent again after this number of calls; its attempts are reset. */
  again(calls: number): void {
    this.#again++
    this.#base = calls
    this.#deaths = 0
  }

  /** Returns the broken promises for a message at rest, when nothing is left to do; empty if there are none. */
  faults(stored: Stored | undefined): readonly string[] {
    if (this.isRefused) return stored === undefined ? [] : ["it was refused, and is there"]
    if (this.isGivenUp) return stored?.state === "discarded" ? [] : [`it was given up, and is ${stored?.state}`]
    if (this.isHeld) return stored?.state === "held" ? [] : [`it is held, and is ${stored?.state}`]
    if (stored === undefined) return this.isStored ? ["it was acknowledged, and is not there"] : []
    const told = this.#deaths === 0 ? this.#exact(stored) : this.#possible(stored)
    return [...told, ...this.#doubled()]
  }

  /** Without a death, its state follows from the platform's answers. */
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

  /** After a death, its last attempt may not have started, or its end may be forgotten. */
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

  /** Which messages may arrive again, and how often. A message held for a person arrives once for each decision. */
  #doubled(): readonly string[] {
    const policy = policyOf(this.endpoint)
    const silent = this.calls.filter(outcome => outcome === "lose" && repeats(policy, outcome)).length
    const forgotten = policy.onUnknown === "retry" || policy.idempotent ? this.#deathsEver : 0
    const most = 1 + this.#again + silent + forgotten
    return this.arrivals <= most ? [] : [`it arrived ${this.arrivals} times, ${most} at most are allowed`]
  }
}

/** Returns whether the outbox repeats a message although its last attempt may have arrived. */
const repeats = (policy: Policy, last: Outcome | undefined): boolean =>
  policy.idempotent || policy.onUnknown === "retry" || (policy.resumes && (last === "lose" || last === "stall"))
