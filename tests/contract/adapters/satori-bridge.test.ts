import {expect, test} from "vitest"
import {notOverHttp} from "../../../server/testing/adapter/passing.ts"
import {outcomesOf} from "../../support/adapters/platforms.ts"
import {bridgedKook} from "../../support/adapters/satori-bridge.ts"

const without = (feature: string) => `not checked: features does not name ${feature}`

test("@satorijs/adapter-kook passes the conformance suite against the protocol fake", async () => {
  const outcomes = Object.values(await outcomesOf(bridgedKook))
  expect(outcomes.filter(outcome => outcome !== "passed")).toEqual([
    "not checked: history is none: the platform redelivers nothing",
    without("history"),
    without("history"),
    without("commands"),
    without("typing"),
    "not checked: the platform is no server that could be hostile: set platform.hostile",
    `not checked: ${notOverHttp}`,
  ])
})
