import {expect, test} from "vitest"
import {discord} from "../../support/adapters/discord.ts"
import {omissionsOf} from "../../support/adapters/platforms.ts"

test("the Discord adapter passes the conformance suite against the fake platform", async () => {
  expect(await omissionsOf(discord)).toEqual({
    "acknowledges only durable events: kill -9 loses and duplicates nothing":
      "not checked: history is none: the platform redelivers nothing",
  })
})
