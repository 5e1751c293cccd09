import {describe, expect, test} from "vitest"
import {adapterChecks} from "../../../server/testing/adapter/conformance.ts"
import {satori, startServingHost} from "../../support/adapters/satori.ts"
import {shared} from "../../support/host/shared.ts"

/** What the platform cannot have, and why. */
const leftOut: Readonly<Record<string, string>> = {
  "acknowledges only what is durable: nothing is lost or doubled by kill -9":
    "history is none: the platform delivers nothing again",
  "sends a text of the longest length whole, and a longer one in parts": "limits names no longest text",
  "lists the bot's commands where its users look for them": "features does not name commands",
  "shows that the bot is writing": "features does not name typing",
}

describe("satori, at a Host that serves Satori, keeps what the conformance suite of adapters asks", () => {
  const server = shared(() => startServingHost())
  test.each(adapterChecks(satori(server)))("it $name", async ({name, run}) => {
    expect(await run()).toBe(leftOut[name])
  })
})
