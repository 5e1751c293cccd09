import {expect, test} from "vitest"
import {discord} from "../../support/adapters/discord.ts"
import {outcomesOf} from "../../support/adapters/platforms.ts"

test("the adapter discord keeps what the conformance suite of adapters asks, at the fake of the tests", async () => {
  const outcomes = await outcomesOf(discord)
  const others = Object.entries(outcomes).filter(([, outcome]) => outcome !== "passed")
  expect(Object.fromEntries(others)).toEqual({
    "acknowledges only durable events: kill -9 loses and duplicates nothing":
      "not checked: history is none: the platform redelivers nothing",
  })
})
