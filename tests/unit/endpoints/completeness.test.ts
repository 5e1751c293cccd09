import {beforeEach, describe, expect, test} from "vitest"
import {Completeness} from "../../../server/endpoints/completeness.ts"

describe("the time up to which everything is stored", () => {
  let now = 0
  let completeness = new Completeness()
  beforeEach(() => {
    now = 100_000
    completeness = new Completeness(() => now)
  })

  const storing = (): (() => Promise<void>) => {
    let end = () => {}
    const stored = completeness.storing(() => new Promise<void>(resolve => (end = resolve)))
    return () => {
      end()
      return stored
    }
  }

  test("is the adapter's, or 10 s ago if that is not a time", () => {
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

  test("is now once its adapter has caught up and all is stored, until the next connection", async () => {
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

  test("stays before the oldest event that is being stored", async () => {
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

  test("is held back by an event that could not be stored, until that is recorded", async () => {
    completeness.begin(() => 40)
    const failing = completeness.storing(async () => {
      now += 500
      expect(completeness.lag).toBe(540)
      throw new Error("full")
    })
    await expect(failing).rejects.toThrow("full")
    expect(completeness.lag).toBe(40)
  })

  test("ends with the connection, at the last proven or stored time, whichever is older", () => {
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
