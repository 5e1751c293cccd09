import {expect, test} from "vitest"
import {email} from "../../support/adapters/email.ts"
import {outcomesOf} from "../../support/adapters/platforms.ts"
import {describeWith} from "../../support/machine/tools.ts"

describeWith("dovecot")("email, at a real Dovecot and a real SMTP server", () => {
  test("keeps what the conformance suite of adapters asks", async () => {
    const outcomes = Object.entries(await outcomesOf(email))
    expect(outcomes.filter(([, outcome]) => outcome.startsWith("failed"))).toEqual([])
    // Mail has none of these.
    expect(outcomes.filter(([, outcome]) => outcome !== "passed").map(([name]) => name)).toEqual([
      "fetches what it missed, under the ids that it has live",
      "edits what it has sent, each part of it too",
      "deletes what it has sent",
      "reacts, and takes its reaction back",
      "tells the history of a channel in its order",
      "lists the bot's commands where its users look for them",
      "shows that the bot is writing",
      "answers the methods that its features name",
    ])
  })
})
