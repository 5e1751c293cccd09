import {test} from "vitest"
import {adapterChecks} from "../../../server/testing/adapter/conformance.ts"
import {slack} from "../../support/adapters/slack.ts"

/** What Slack does not have. */
const without: Readonly<Record<string, string>> = {
  "acknowledges only what is durable: nothing is lost or doubled by kill -9":
    "history is none: the platform delivers nothing again",
  "lists the bot's commands where its users look for them": "features does not name commands",
  "shows that the bot is writing": "features does not name typing",
}

// Most of them wait for a Host: side by side.
test.concurrent.for(adapterChecks(slack))("slack $name", async ({name, run}, {expect}) => {
  expect(await run()).toBe(without[name])
})
