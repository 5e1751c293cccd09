import {expect, test} from "vitest"
import {omissionsOf, without} from "../../support/adapters/platforms.ts"
import {telegram} from "../../support/adapters/telegram.ts"

test("the Telegram adapter passes the conformance suite", async () => {
  expect(await omissionsOf(telegram)).toEqual({
    // Telegram keeps updates for 24 hours and offers bots no history.
    "fetches missed messages under the same ids as live": "not checked: history is replay: there are no gaps to fill",
    "returns the history of a channel in order": without("history"),
  })
})
