import {expect, test} from "vitest"
import {pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"

const backoff = {first: 500, longest: 30_000}

test("the pause doubles with each failed attempt, up to the longest", () => {
  const pauses = [1, 2, 3, 4, 7, 8, 100, 5000].map(attempts => pauseAfter(attempts, backoff, () => 1))
  expect(pauses).toEqual([500, 1000, 2000, 4000, 30_000, 30_000, 30_000, 30_000])
})

test("a random part of up to a half is taken off", () => {
  expect(pauseAfter(3, backoff, () => 0)).toBe(1000)
  expect(pauseAfter(3, backoff, () => 0.5)).toBe(1500)
  const pauses = Array.from({length: 1000}, () => pauseAfter(3, backoff))
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1000)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(2000)
  expect(new Set(pauses).size).toBeGreaterThan(900)
})
