import {expect, test} from "vitest"
import {outcomesOf} from "../../support/adapters/platforms.ts"
import {bridgedDiscord, bridgedTelegram} from "../../support/adapters/satori-bridge.ts"

const others = async (adapter: Parameters<typeof outcomesOf>[0]) => {
  const outcomes = await outcomesOf(adapter, 3)
  return Object.fromEntries(Object.entries(outcomes).filter(([, outcome]) => outcome !== "passed"))
}

test("@satorijs/adapter-telegram keeps what the conformance suite of adapters asks, at the fake of the tests", async () => {
  expect(await others(bridgedTelegram)).toEqual({})
})

test("@satorijs/adapter-discord keeps what the conformance suite of adapters asks, at the fake of the tests", async () => {
  expect(await others(bridgedDiscord)).toEqual({})
})
