import {Problem} from "../../../shared/problems.ts"
import {TokenBucket, type TokenBucketLimits} from "../../../shared/sdk/adapter/token-bucket.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"

/** So many requests at once, and one in so many milliseconds after that: of one address. */
const ofAddress: TokenBucketLimits = {burst: 30, interval: 1000}

/** So many addresses are remembered. */
const mostAddresses = 10_000

/** How often one address may ask for what is there without a token. */
export class AddressRate {
  readonly #now: () => number
  readonly #addresses = new BoundedMap<string, TokenBucket>(mostAddresses)

  /** `now`: in milliseconds, and never going back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Throws `too_many_requests`. */
  take(address: string): void {
    take(bucketOf(this.#addresses, address, ofAddress), this.#now(), ofAddress)
  }
}

export const bucketOf = (buckets: Map<string, TokenBucket>, key: string, limits: TokenBucketLimits): TokenBucket => {
  const bucket = buckets.get(key) ?? new TokenBucket(limits)
  buckets.set(key, bucket)
  return bucket
}

/** Throws `too_many_requests`. */
export const take = (bucket: TokenBucket, now: number, {interval}: TokenBucketLimits): void => {
  if (bucket.take(now)) return
  throw new Problem("too_many_requests", "pages are asked for too often", {retryAfter: Math.ceil(interval / 1000)})
}
