import {expect, test} from "vitest"
import {notOverHttp} from "../../../server/testing/adapter/passing.ts"
import {mqtt} from "../../support/adapters/mqtt.ts"
import {outcomesOf} from "../../support/adapters/platforms.ts"
import {describeWith} from "../../support/machine/tools.ts"

describeWith("mosquitto")("mqtt, at a real mosquitto", () => {
  test("passes the conformance suite for adapters", async () => {
    const outcomes = Object.values(await outcomesOf(mqtt)).filter(outcome => outcome !== "passed")
    const without = (feature: string) => `not checked: features does not name ${feature}`
    expect(outcomes.sort()).toEqual(
      [
        ...["edit", "delete", "react", "history", "open", "commands", "typing", "files", "download"].map(without),
        "not checked: history is replay: there are no gaps to fill",
        "not checked: limits.text is not set",
        `not checked: ${notOverHttp}`,
        "not checked: the platform never asks to wait: set platform.slowDown",
        "not checked: there is no method to call: set platform.calls",
      ].sort(),
    )
  })
})
