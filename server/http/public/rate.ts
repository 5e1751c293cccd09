import {Problem} from "../../../shared/problems.ts"
import {TokenBucket, type TokenBucketLimits} from "../../../shared/sdk/adapter/token-bucket.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"

/** The limit of one address: the burst, and then one request per `interval` milliseconds. */
const ofAddress: TokenBucketLimits = {burst: 30, interval: 1000}

/** The highest number of addresses to remember. */
const mostAddresses = 10_000

/** Limits how often one address may request public resources. */
export class AddressRate {
  readonly #now: () => number
  readonly #addresses = new BoundedMap<string, TokenBucket>(mostAddresses)

  /** `now` is a monotonic time in milliseconds. */
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
  throw new Problem("too_many_requests", "too many requests for pages", {retryAfter: Math.ceil(interval / 1000)})
}
