import {afterAll, describe, expect, test} from "vitest"
import {adapterChecks} from "../../../server/testing/adapter/conformance.ts"
import {satori, startServingHost} from "../../support/adapters/satori.ts"
import {shared} from "../../support/host/shared.ts"

/** The checks that the platform cannot support, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  "acknowledges only durable events: kill -9 loses and duplicates nothing":
    "history is none: the platform redelivers nothing",
  "sends a text of the longest length as one message, and a longer one in parts": "limits.text is not set",
  "lists the bot's commands where its users look for them": "features does not name commands",
  "shows that the bot is writing": "features does not name typing",
}

describe("the satori adapter, connected to a Host that serves Satori,", () => {
  test.each(adapterChecks(satori(shared(() => startServingHost())), afterAll))("$name", async ({name, run}) => {
    expect(await run()).toBe(leftOut[name])
  })
})
