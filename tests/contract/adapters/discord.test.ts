import {expect, test} from "vitest"
import {discord} from "../../support/adapters/discord.ts"
import {outcomesOf} from "../../support/adapters/platforms.ts"

test("the Discord adapter passes the conformance suite against the fake platform", async () => {
  const outcomes = await outcomesOf(discord)
  expect(Object.fromEntries(Object.entries(outcomes).filter(([, outcome]) => outcome !== "passed"))).toEqual({
    "acknowledges only durable events: kill -9 loses and duplicates nothing":
      "not checked: history is none: the platform redelivers nothing",
  })
})
