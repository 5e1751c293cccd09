import {expect, test} from "vitest"
import {mqtt} from "../../support/adapters/mqtt.ts"
import {outcomesOf} from "../../support/adapters/platforms.ts"
import {describeWith} from "../../support/machine/tools.ts"

describeWith("mosquitto")("mqtt, at a real mosquitto", () => {
  test("keeps what the conformance suite of adapters asks", async () => {
    const outcomes = await outcomesOf(mqtt)
    expect(Object.fromEntries(Object.entries(outcomes).filter(([, outcome]) => outcome !== "passed"))).toEqual({})
  })
})
