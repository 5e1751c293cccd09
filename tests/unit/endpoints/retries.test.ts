import {describe, expect, test} from "vitest"
import {Retries} from "../../../server/endpoints/retries.ts"
import {refused} from "../../../shared/sdk/adapter/refusal.ts"

const why = {reason: "credentials", remediation: "Correct the token."}
const lasting = refused("no such token", why)
const passing = refused("a proxy's page", {...why, passing: true})
const network = new Error("connection reset")

/** Lets attempts end with these errors at a virtual clock. Resolves to what followed each: seconds, or the end. */
const follow = (ends: readonly (Error | readonly [Error, number])[], isKnown = true) => {
  const retries = new Retries(() => 0)
  let at = 0
  return ends.map(end => {
    const [error, onlineFor] = end instanceof Error ? [end, 0] : end
    at += onlineFor
    const next = retries.after(error, {at, onlineFor, isKnown})
    if (next.is === "failed") return "failed"
    at += next.pause
    return next.pause / 1000
  })
}

describe("an endpoint", () => {
  test("fails at the first lasting refusal if it was never online with its account", () => {
    expect(follow([lasting], false)).toEqual(["failed"])
    expect(follow([passing, network, lasting], false)).toEqual([0.5, 0.5, "failed"])
  })

  test("fails at the third lasting refusal in a row, after five minutes", () => {
    expect(follow([lasting, lasting, lasting])).toEqual([60, 240, "failed"])
  })

  test("counts lasting refusals again after anything else, and after a connection that lasted", () => {
    const twice = [lasting, lasting]
    expect(follow([...twice, passing, ...twice, network, ...twice])).not.toContain("failed")
    expect(follow([...twice, [lasting, 31_000], lasting, lasting])).toEqual([60, 240, 60, 240, "failed"])
    expect(follow([...twice, [lasting, 1000]])).toEqual([60, 240, "failed"])
  })

  test("does not fail at three lasting refusals within moments, as after three reloads", () => {
    const retries = new Retries(() => 0)
    const ends = [0, 1000, 2000, 240_000].map(at => retries.after(lasting, {at, onlineFor: 0, isKnown: true}).is)
    expect(ends).toEqual(["retry", "retry", "retry", "failed"])
  })

  test.each([true, false])("retries a passing refusal for ever, five minutes apart: known %s", isKnown => {
    const days = follow(
      Array.from({length: 1000}, () => passing),
      isKnown,
    )
    expect(days).toEqual([0.5, 60, ...Array.from({length: 998}, () => 300)])
  })

  test("retries other errors as fast as ever, whatever was refused before", () => {
    expect(follow(Array.from({length: 8}, () => network))).toEqual([0.25, 0.5, 1, 2, 4, 8, 15, 15])
    expect(follow([passing, passing, passing, network, passing])).toEqual([0.5, 60, 300, 2, 300])
  })

  test("never shortens a pause at random, and counts its attempts from the last connection that lasted", () => {
    const retries = new Retries(() => 0.99)
    const ended = {at: 0, isKnown: true, onlineFor: 0}
    for (const _ of [1, 2]) retries.after(passing, ended)
    expect(retries.after(passing, ended)).toMatchObject({is: "retry", pause: expect.closeTo(329_700), refusal: why})
    expect(retries.attempt).toBe(4)
    retries.after(network, {...ended, onlineFor: 30_001})
    expect(retries.attempt).toBe(2)
  })
})
