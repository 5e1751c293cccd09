import {expect, test} from "vitest"
import type {AdapterUnderTest} from "../../../server/testing/adapter/conformance.ts"
import {notOverHttp, passingName} from "../../../server/testing/adapter/passing.ts"
import {outcomesOf} from "../../support/adapters/platforms.ts"
import {bridgedDiscord, bridgedTelegram} from "../../support/adapters/satori-bridge.ts"

const othersOf = async (adapter: AdapterUnderTest) => {
  return Object.fromEntries(Object.entries(await outcomesOf(adapter)).filter(([, outcome]) => outcome !== "passed"))
}

/** Koishi's bots have no methods for these checks, and no history. tests/e2e covers what survives kill -9. */
const never = {
  "acknowledges only durable events: kill -9 loses and duplicates nothing":
    "not checked: history is none: the platform redelivers nothing",
  "bounds what a hostile server sends, and recovers":
    "not checked: the platform is no server that could be hostile: set platform.hostile",
  [passingName]: `not checked: ${notOverHttp}`,
  "lists the bot's commands where its users look for them": "not checked: features does not name commands",
  "shows that the bot is writing": "not checked: features does not name typing",
}

test("@satorijs/adapter-telegram passes the conformance suite against the fake platform", async () => {
  expect(await othersOf(bridgedTelegram)).toEqual({
    ...never,
    "fetches missed messages under the same ids as live": "not checked: features does not name history",
    "reacts, and removes its reaction": "not checked: features does not name react",
    "returns the history of a channel in order": "not checked: features does not name history",
  })
})

test("@satorijs/adapter-discord passes the conformance suite against the fake platform", async () => {
  expect(await othersOf(bridgedDiscord)).toEqual(never)
})
