import {expect, test} from "vitest"
import {passingName} from "../../../server/testing/adapter/passing.ts"
import {email} from "../../support/adapters/email.ts"
import {omissionsOf} from "../../support/adapters/platforms.ts"
import {describeWith} from "../../support/machine/tools.ts"

/** Checks for features that email does not have. */
const leftOut = [
  "answers the methods that its features name",
  "deletes its messages",
  "edits its messages, each part too",
  "fetches missed messages under the same ids as live",
  passingName,
  "lists the bot's commands where its users look for them",
  "reacts, and removes its reaction",
  "returns the history of a channel in order",
  "shows that the bot is writing",
]

describeWith("dovecot")("email, at a real Dovecot and a real SMTP server", () => {
  test("passes the conformance suite for adapters, but for what email lacks", async () => {
    const omissions = Object.entries(await omissionsOf(email))
    expect(omissions.filter(([, why]) => why.startsWith("failed"))).toEqual([])
    expect(omissions.map(([name]) => name).sort()).toEqual(leftOut)
  })
})
