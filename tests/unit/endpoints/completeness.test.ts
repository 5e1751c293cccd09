import {beforeEach, describe, expect, test} from "vitest"
import {Completeness} from "../../../server/endpoints/completeness.ts"

describe("up to when all that a platform had is stored", () => {
  let now = 0
  let completeness = new Completeness()
  beforeEach(() => {
    now = 100_000
    completeness = new Completeness(() => now)
  })

  /** Stores an event until it is told to end. */
  const storing = (): (() => Promise<void>) => {
    let end = () => {}
    const stored = completeness.storing(() => new Promise<void>(resolve => (end = resolve)))
    return () => {
      end()
      return stored
    }
  }

  test("it is what the adapter says, and 10 s ago where it says nothing that is a time", () => {
    completeness.begin(() => 40)
    expect(completeness.lag).toBe(40)
    completeness.begin(() => 0)
    expect(completeness.lag).toBe(0)
    const broken = () => {
      throw new Error("broken")
    }
    for (const lag of [() => undefined, () => Number.NaN, () => -1, broken]) {
      completeness.begin(lag)
      expect(completeness.lag).toBe(10_000)
    }
  })

  test("once its adapter has caught up, it is now where that says no time, until it is online anew; and all has been stored", async () => {
    completeness.begin(() => undefined)
    const end = storing()
    let caughtUp = false
    const waiting = completeness.caughtUp().then(() => {
      caughtUp = true
    })
    await Promise.resolve()
    expect(caughtUp).toBe(false)
    await end()
    await waiting
    expect(completeness.lag).toBe(0)
    completeness.begin(() => 40)
    await completeness.caughtUp()
    expect(completeness.lag).toBe(40)
    completeness.begin(() => undefined)
    expect(completeness.lag).toBe(10_000)
  })

  test("it stays where it was before the oldest event that is being stored", async () => {
    completeness.begin(() => 40)
    const first = storing()
    now += 1000
    const second = storing()
    now += 1000
    expect(completeness.lag).toBe(2040)
    await first()
    expect(completeness.lag).toBe(1040)
    await second()
    expect(completeness.lag).toBe(40)
  })

  test("an event that could not be stored holds it back until that is known", async () => {
    completeness.begin(() => 40)
    const failing = completeness.storing(async () => {
      now += 500
      expect(completeness.lag).toBe(540)
      throw new Error("full")
    })
    await expect(failing).rejects.toThrow("full")
    expect(completeness.lag).toBe(40)
  })

  test("it ends with the connection: when that was last known to be good, or what was stored then, if that is longer ago", () => {
    completeness.begin(() => 40)
    completeness.end()
    now += 3000
    expect(completeness.lag).toBe(3040)
    completeness.end(60_000)
    expect(completeness.lag).toBe(3040)

    completeness.begin(() => 40)
    completeness.end(500)
    now += 10
    expect(completeness.lag).toBe(510)

    completeness.begin(() => 40)
    storing()
    now += 700
    completeness.end(500)
    expect(completeness.lag).toBe(740)
  })
})
