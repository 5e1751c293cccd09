import {describe, expect, test} from "vitest"
import {noPolicy} from "../../../server/endpoints/policy.ts"
import {attempt, judge, judgeInterrupted, usualTiming} from "../../../server/outbox/delivery.ts"
import {TimeLimitExceeded} from "../../../server/runtime/flow/time-limit.ts"
import {postponementOf, refused, retryAfter} from "../../../shared/sdk/adapter/refusal.ts"

const retrying = {...noPolicy, onUnknown: "retry"} as const
const late = new TimeLimitExceeded(30_000)
const end = (error: unknown, policy = noPolicy, counted = 1) => judge(error, policy, counted, usualTiming)

describe("a failed attempt", () => {
  test("that the platform refused is final, with its reason", () => {
    const error = refused("no such channel", {reason: "unknown_channel", remediation: "Correct it."})
    expect(end(error)).toEqual({is: "failed", error: "no such channel", reason: "unknown_channel"})
  })

  test("with any other error is retried after a pause, until the eighth is dead", () => {
    expect(end(new Error("not now"))).toMatchObject({is: "queued", counts: true, error: "not now"})
    expect(end(new Error("not now"), noPolicy, 7)).toMatchObject({is: "queued"})
    expect(end(new Error("not now"), noPolicy, 8)).toEqual({is: "dead", error: "not now", reason: "attempts"})
  })

  test("with a time to wait is delayed without counting, between 0.2 s and one day", () => {
    expect(end(retryAfter(5000, "slow down"), noPolicy, 20)).toEqual({
      is: "queued",
      error: "slow down",
      wait: 5000,
      counts: false,
    })
    expect(end(retryAfter(1e12))).toMatchObject({wait: 86_400_000})
    for (const wait of [0, -5, "0"]) expect(end(retryAfter(wait))).toMatchObject({wait: 200, counts: false})
  })

  test("that timed out is unknown, unless repeating is harmless or wanted", () => {
    expect(end(late)).toMatchObject({is: "unknown", reason: "timed_out"})
    expect(end(late, {...noPolicy, idempotent: true})).toMatchObject({is: "queued", counts: true})
    expect(end(late, {...noPolicy, resumes: true})).toMatchObject({is: "queued", counts: true})
    expect(end(late, retrying)).toMatchObject({is: "queued", counts: true})
    expect(end(late, retrying, 8)).toMatchObject({is: "dead"})
  })
})

test("an attempt whose direct channel opened too late sends nothing and has ended", async () => {
  const opening = Promise.withResolvers<{id: string; type: number}>()
  const calls: string[] = []
  const sender = {
    open: () => opening.promise,
    send: async () => {
      calls.push("send")
      return {ids: ["1"]}
    },
  }
  const row = {id: "m1", kind: "message", user: "ann", content: '["hello"]'}
  const about = {policy: noPolicy, number: 1, counted: 1, timing: {...usualTiming, limit: 10}, partsOf: async () => []}
  expect(await attempt(row, {...about, sender, called: () => calls.push("called")})).toMatchObject({is: "unknown"})
  opening.resolve({id: "dm-ann", type: 1})
  await new Promise(resolve => setImmediate(resolve))
  expect(calls).toEqual([])
})

test("an attempt that the Host's death interrupted is unknown, unless repeats are dropped or wanted", () => {
  expect(judgeInterrupted(noPolicy, 1, usualTiming)).toBe("unknown")
  // Only the dead process knew where the attempt had ended.
  expect(judgeInterrupted({...noPolicy, resumes: true}, 1, usualTiming)).toBe("unknown")
  expect(judgeInterrupted({...noPolicy, idempotent: true}, 1, usualTiming)).toBe("queued")
  expect(judgeInterrupted(retrying, 7, usualTiming)).toBe("queued")
  expect(judgeInterrupted(retrying, 8, usualTiming)).toBe("dead")
})

test("retryAfter reads the header of an HTTP answer: seconds, a date, or one second by default", () => {
  expect(postponementOf(retryAfter("120"))).toBe(120_000)
  const wait = postponementOf(retryAfter(new Date(Date.now() + 60_000).toUTCString())) ?? 0
  expect(wait).toBeGreaterThan(30_000)
  expect(wait).toBeLessThanOrEqual(60_000)
  expect(postponementOf(retryAfter(null))).toBe(1000)
  expect(postponementOf(retryAfter("soon"))).toBe(1000)
  expect(postponementOf(new Error("other"))).toBeUndefined()
})
