import {expect, test} from "vitest"
import {onebot} from "../../support/adapters/onebot.ts"
import {outcomesOf} from "../../support/adapters/platforms.ts"

const without = (feature: string) => `not checked: features does not name ${feature}`

test.each([
  ["ws", []],
  ["http", ["not checked: connections cannot be cut: give platform.cut"]],
] as const)("onebot at a fake, by %s, keeps what the conformance suite of adapters asks", async (transport, more) => {
  const outcomes = Object.values(await outcomesOf(onebot(transport))).filter(outcome => outcome !== "passed")
  expect(outcomes.sort()).toEqual(
    [
      ...["edit", "react", "history", "commands", "typing", "download", "history"].map(without),
      "not checked: history is none: the platform delivers nothing again",
      "not checked: the platform never asks to wait: give platform.slowDown",
      ...more,
    ].sort(),
  )
})
