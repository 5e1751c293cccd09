import {expect, test} from "vitest"
import {outcomesOf} from "../../support/adapters/platforms.ts"
import {satori} from "../../support/adapters/satori.ts"

test("satori, at a Host that serves Satori, keeps what the conformance suite of adapters asks", async () => {
  const outcomes = Object.entries(await outcomesOf(satori()))
  expect(outcomes.filter(([, outcome]) => outcome.startsWith("failed"))).toEqual([])
  expect(outcomes.filter(([, outcome]) => outcome !== "passed")).toEqual([
    [
      "acknowledges only what is durable: nothing is lost or doubled by kill -9",
      "not checked: history is none: the platform delivers nothing again",
    ],
    [
      "sends a text of the longest length whole, and a longer one in parts",
      "not checked: limits names no longest text",
    ],
    ["lists the bot's commands where its users look for them", "not checked: features does not name commands"],
    ["shows that the bot is writing", "not checked: features does not name typing"],
  ])
})
