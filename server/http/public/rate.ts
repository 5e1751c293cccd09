import {Problem} from "../../../shared/problems.ts"
import {TokenBucket, type TokenBucketLimits} from "../../../shared/sdk/adapter/token-bucket.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"

/** The limit of one address: the burst, and then one request per `interval` milliseconds. */
const ofAddress: TokenBucketLimits = {burst: 30, interval: 1000}

/** The highest number of addresses to remember. */
const mostAddresses = 10_000

/** Limits how often one address may request public resources. */
export class AddressRate {
  readonly #addresses = new BoundedMap<string, TokenBucket>(mostAddresses)

  /** Throws `too_many_requests`. */
  take(address: string): void {
    take(this.#addresses, address, ofAddress)
  }
}

/** Takes a token from the bucket of a key. Throws `too_many_requests`. */
export const take = (buckets: Map<string, TokenBucket>, key: string, limits: TokenBucketLimits): void => {
  const bucket = buckets.get(key) ?? new TokenBucket(limits)
  buckets.set(key, bucket)
  if (bucket.take()) return
  const retryAfter = Math.ceil(limits.interval / 1000)
  throw new Problem("too_many_requests", "too many requests for pages", {retryAfter})
}
