import {expect, test} from "vitest"
import {TokenBucket} from "../../../shared/sdk/adapter/token-bucket.ts"

const limits = {burst: 3, interval: 100}

test("a full bucket has a burst of tokens, then one in each interval", () => {
  const bucket = new TokenBucket(limits)
  const taken = [0, 0, 0, 0, 99, 100, 100, 200].map(now => bucket.take(now))
  expect(taken).toEqual([true, true, true, false, false, true, false, true])
})

test("an unused bucket holds a burst, and no more", () => {
  const bucket = new TokenBucket(limits)
  bucket.take(0)
  expect(Array.from({length: 5}, () => bucket.take(1_000_000))).toEqual([true, true, true, false, false])
})

test("reserved tokens are awaited, each one interval longer than the previous one", () => {
  const bucket = new TokenBucket(limits)
  expect([0, 0, 0, 0, 0, 50].map(now => bucket.reserve(now))).toEqual([0, 0, 0, 100, 200, 250])
  expect(bucket.take(300)).toBe(false)
  expect(bucket.take(400)).toBe(true)
})
