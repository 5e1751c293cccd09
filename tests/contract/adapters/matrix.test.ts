import {expect, test} from "vitest"
import {matrix} from "../../support/adapters/matrix.ts"
import {omissionsOf, without} from "../../support/adapters/platforms.ts"
import {shared} from "../../support/host/shared.ts"
import {describeWithDendrite, startDendrite} from "../../support/platforms/matrix/dendrite.ts"

describeWithDendrite("matrix, at a real dendrite", () => {
  const homeserver = shared(startDendrite)

  test("the Matrix adapter passes the conformance suite", async () => {
    expect(await omissionsOf(await matrix(homeserver()))).toEqual({
      "fetches missed messages under the same ids as live": "not checked: history is replay: there are no gaps to fill",
      "lists the bot's commands where its users look for them": without("commands"),
    })
  })
})
