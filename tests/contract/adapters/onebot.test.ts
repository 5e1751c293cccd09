import {expect, test} from "vitest"
import {notOverHttp} from "../../../server/testing/adapter/passing.ts"
import {onebot} from "../../support/adapters/onebot.ts"
import {omissionsOf, without} from "../../support/adapters/platforms.ts"

const noServer = "not checked: the platform is no server that could be hostile: set platform.hostile"

const always = [
  "not checked: history is none: the platform redelivers nothing",
  "not checked: the platform never asks to wait: set platform.slowDown",
]

/** Acts are the same over each transport, so one transport checks them. */
const isAct = (name: string) =>
  /^(edits|deletes|reacts|returns the history|opens|lists|shows|answers the methods|reads the files)/.test(name)

test.each([
  ["ws", ["edit", "react", "commands", "typing", "download"].map(without)],
  [
    "reverse",
    [
      without("history"),
      noServer,
      `not checked: ${notOverHttp}`,
      "not checked: there are no credentials to refuse: set platform.refused",
    ],
  ],
  ["http", [without("history"), "not checked: connections cannot be cut: set platform.cut"]],
] as const)("onebot passes the conformance suite against a fake over %s", async (transport, more) => {
  const omissions = await omissionsOf(onebot(transport), name => transport === "ws" || !isAct(name))
  expect(Object.values(omissions).sort()).toEqual([...always, ...more].sort())
})
