import {expect, test} from "vitest"
import {notOverHttp} from "../../../server/testing/adapter/passing.ts"
import {omissionsOf, without} from "../../support/adapters/platforms.ts"
import {bridgedKook} from "../../support/adapters/satori-bridge.ts"

test("@satorijs/adapter-kook passes the conformance suite against the protocol fake", async () => {
  expect(Object.values(await omissionsOf(bridgedKook))).toEqual([
    "not checked: history is none: the platform redelivers nothing",
    without("history"),
    without("history"),
    without("commands"),
    without("typing"),
    "not checked: the platform is no server that could be hostile: set platform.hostile",
    `not checked: ${notOverHttp}`,
  ])
})
