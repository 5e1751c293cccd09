import {timingSafeEqual} from "node:crypto"
import type {PreviousToken} from "../../shared/config.ts"
import {Problem, problems} from "../../shared/problems.ts"
import type {Scope} from "../../shared/sdk/route.ts"
import type {Secret} from "../../shared/secret.ts"
import {BoundedMap} from "../runtime/bounded-map.ts"
import {sha256Of} from "../runtime/files.ts"

/** A longer header is refused without reading it. */
const longest = 1024

const digest = (text: string): Buffer => Buffer.from(sha256Of(text))

export interface Tokens {
  readonly token: Secret | undefined
  /** The previous full token, and its expiry. */
  readonly previousToken?: PreviousToken | undefined
  readonly demoToken: Secret | undefined
}

/** Returns the scope of an `Authorization` header; undefined without a header and for an unknown token. */
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

/** Whether this is the previous token. Once it has expired, it stays expired even if the clock is set back. */
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

/** The number of failures that one sender may cause in a window, and the window in milliseconds. */
const most = 10
const window = 60_000

/** The highest number of senders to remember. Above it, the sender whose window ends first is forgotten. */
const remembered = 10_000

/**
 * Counts failures by sender: an address, or a hook and an address. Valid requests are never limited, because they are
 * checked first.
 */
export class FailureLimit {
  readonly #failures = new BoundedMap<string, {count: number; until: number}>(remembered)

  /**
   * Counts a failure at `now`, a monotonic time. Throws the failure, or `too_many_failures` with the seconds to wait.
   */
  refuse(sender: string, failure: Problem, now: number): never {
    let entry = this.#failures.get(sender)
    if (entry === undefined || entry.until <= now) {
      entry = {count: 0, until: now + window}
      this.#failures.set(sender, entry)
    }
    entry.count++
    if (entry.count <= most) throw failure
    const retryAfter = Math.ceil((entry.until - now) / 1000)
    const {title} = problems[failure.code]
    throw new Problem("too_many_failures", `too many requests failed (${title}); wait ${retryAfter} s`, {retryAfter})
  }
}
