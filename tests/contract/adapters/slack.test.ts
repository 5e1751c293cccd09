import {afterAll, expect, test} from "vitest"
import {adapterChecks} from "../../../server/testing/adapter/conformance.ts"
import {slack} from "../../support/adapters/slack.ts"

/** The checks that Slack cannot support, each with the reason. */
const without: Readonly<Record<string, string>> = {
  "acknowledges only durable events: kill -9 loses and duplicates nothing":
    "history is none: the platform redelivers nothing",
  "lists the bot's commands where its users look for them": "features does not name commands",
  "shows that the bot is writing": "features does not name typing",
}

test.each(adapterChecks(slack, afterAll))("slack $name", async ({name, run}) => expect(await run()).toBe(without[name]))
