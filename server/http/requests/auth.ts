import {timingSafeEqual} from "node:crypto"
import type {PreviousToken} from "../../../shared/config/config.ts"
import {Problem, problems} from "../../../shared/problems.ts"
import type {Scope} from "../../../shared/route.ts"
import type {Secret} from "../../../shared/secret.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"

/** A longer header is refused without reading it. */
const longest = 1024

export interface Tokens {
  readonly token: Secret | undefined
  /** The previous full token, and its expiry. */
  readonly previousToken?: PreviousToken | undefined
  readonly demoToken: Secret | undefined
}

/** Returns the scope of an `Authorization` header; undefined without a header and for an unknown token. */
export type Verify = (header: string | null) => Exclude<Scope, "none"> | undefined

/** Compares with each token in constant time, without a hash a request. `now` is in milliseconds since 1970. */
export const createVerifier = ({token, previousToken, demoToken}: Tokens, now: () => number = Date.now): Verify => {
  const secrets = [token, demoToken, previousToken?.token].map(each => each?.reveal())
  const shown = Buffer.alloc(Math.max(...secrets.map(each => Buffer.byteLength(each ?? ""))))
  const [isFull, isDemo, isPrevious] = secrets.map(each => matching(each, shown))
  const hasExpired = expiring(previousToken?.until, now)
  return header => {
    if (header === null || header.length > longest || !/^bearer /i.test(header)) return undefined
    const text = header.slice("bearer ".length)
    shown.write(text)
    try {
      if (isFull?.(text.length)) return "full"
      if (isDemo?.(text.length)) return "demo"
      return !hasExpired() && isPrevious?.(text.length) ? "full" : undefined
    } finally {
      shown.fill(0)
    }
  }
}

/** Compares for the length of the shown text: `shown` holds the beginning of a long one, zeros after a short one. */
const matching = (token: string | undefined, shown: Buffer) => {
  if (token === undefined) return undefined
  const wanted = Buffer.alloc(shown.length)
  wanted.write(token)
  return (length: number): boolean => timingSafeEqual(shown, wanted) && length === token.length
}

/** Returns whether a time has come. After that it stays true, even if the clock is set back. */
const expiring = (until: string | undefined, now: () => number) => {
  const end = Date.parse(until ?? "")
  let hasExpired = false
  return (): boolean => {
    hasExpired ||= now() >= end
    return hasExpired
  }
}

/** The number of failures that one sender may cause in a window, and the window in milliseconds. */
const most = 10
const window = 60_000

/** The highest number of senders to remember. Above it, the sender whose window ends first is forgotten. */
const remembered = 10_000

/** Counts failures by sender: an address, or a hook and one. Valid requests are checked first, and never limited. */
export class FailureLimit {
  readonly #failures = new BoundedMap<string, {count: number; until: number}>(remembered)

  /** Counts a failure. Throws it, or `too_many_failures` with the seconds to wait. */
  refuse(sender: string, failure: Problem): never {
    const now = performance.now()
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
