import {timingSafeEqual} from "node:crypto"
import type {PreviousToken} from "../../shared/config.ts"
import {Problem, problems} from "../../shared/problems.ts"
import type {Scope} from "../../shared/sdk/route.ts"
import type {Secret} from "../../shared/secret.ts"
import {BoundedMap} from "../runtime/bounded-map.ts"
import {sha256Of} from "../runtime/hash.ts"

/** A longer header is refused unread. */
const longest = 1024

const digest = (text: string): Buffer => Buffer.from(sha256Of(text))

export interface Tokens {
  readonly token: Secret | undefined
  /** The full token of before, and until when it is accepted. */
  readonly previousToken?: PreviousToken | undefined
  readonly demoToken: Secret | undefined
}

/** Tells the scope of an `Authorization` header; undefined for none and for an unknown token. */
export type Verify = (header: string | null) => Exclude<Scope, "none"> | undefined

/** Both sides are hashed, then compared in constant time. `now` is a wall clock, in milliseconds since 1970. */
export const createVerifier = ({token, previousToken, demoToken}: Tokens, now: () => number = Date.now): Verify => {
  const full = token === undefined ? undefined : digest(token.reveal())
  const demo = demoToken === undefined ? undefined : digest(demoToken.reveal())
  const isPrevious = previousToken === undefined ? undefined : matchUntil(previousToken, now)
  return header => {
    if (header === null || header.length > longest || !/^bearer /i.test(header)) return undefined
    const shown = digest(header.slice("bearer ".length))
    if (full !== undefined && timingSafeEqual(shown, full)) return "full"
    if (demo !== undefined && timingSafeEqual(shown, demo)) return "demo"
    return isPrevious?.(shown) === true ? "full" : undefined
  }
}

/** Is it the previous token? Once it has expired, a clock that is set back does not bring it to life again. */
const matchUntil = ({token, until}: PreviousToken, now: () => number) => {
  const previous = digest(token.reveal())
  const end = Date.parse(until)
  let hasExpired = false
  return (shown: Buffer): boolean => {
    const isEqual = timingSafeEqual(shown, previous)
    hasExpired ||= now() >= end
    return isEqual && !hasExpired
  }
}

/** So many failures in so many milliseconds are let through from one address. */
const most = 10
const window = 60_000

/** So many addresses are remembered at most; one more forgets the one whose minute ends first. */
const remembered = 10_000

/** Counts failures by address. What is valid is never held back: it is checked first. */
export class FailureLimit {
  readonly #failures = new BoundedMap<string, {count: number; until: number}>(remembered)

  /** Counts one failure at a time of a clock that does not go back; throws it, or `too_many_failures` with the seconds to wait. */
  refuse(address: string, failure: Problem, now: number): never {
    let entry = this.#failures.get(address)
    if (entry === undefined || entry.until <= now) {
      entry = {count: 0, until: now + window}
      this.#failures.set(address, entry)
    }
    entry.count++
    if (entry.count <= most) throw failure
    const retryAfter = Math.ceil((entry.until - now) / 1000)
    const {title} = problems[failure.code]
    throw new Problem("too_many_failures", `too many requests end so: ${title}; wait ${retryAfter} s`, {retryAfter})
  }
}
