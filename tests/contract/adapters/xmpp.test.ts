import {expect, test} from "vitest"
import {notOverHttp, passingName} from "../../../server/testing/adapter/passing.ts"
import {omissionsOf, without} from "../../support/adapters/platforms.ts"
import {xmpp} from "../../support/adapters/xmpp.ts"
import {describeWith} from "../../support/machine/tools.ts"

describeWith("prosody")("xmpp, at a real Prosody", () => {
  test("passes the conformance suite for adapters", async () => {
    expect(await omissionsOf(xmpp())).toEqual({
      "fetches missed messages under the same ids as live": "not checked: history is replay: there are no gaps to fill",
      "waits when the platform asks it to": "not checked: the platform never asks to wait: set platform.slowDown",
      [passingName]: `not checked: ${notOverHttp}`,
      "lists the bot's commands where its users look for them": without("commands"),
    })
  })
})
