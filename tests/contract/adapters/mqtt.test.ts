import {expect, test} from "vitest"
import {notOverHttp} from "../../../server/testing/adapter/passing.ts"
import {mqtt} from "../../support/adapters/mqtt.ts"
import {omissionsOf, without} from "../../support/adapters/platforms.ts"
import {describeWith} from "../../support/machine/tools.ts"

describeWith("mosquitto")("mqtt, at a real mosquitto", () => {
  test("passes the conformance suite for adapters", async () => {
    expect(Object.values(await omissionsOf(mqtt)).sort()).toEqual(
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
