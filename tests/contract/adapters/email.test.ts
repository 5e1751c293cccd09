import {afterAll, expect, test} from "vitest"
import {email} from "../../support/adapters/email.ts"
import {checksOf} from "../../support/adapters/platforms.ts"
import {describeWith} from "../../support/machine/tools.ts"

/** Checks for features that email does not have. */
const leftOut: ReadonlySet<string> = new Set([
  "fetches missed messages under the same ids as live",
  "edits its messages, each part too",
  "deletes its messages",
  "reacts, and removes its reaction",
  "returns the history of a channel in order",
  "lists the bot's commands where its users look for them",
  "shows that the bot is writing",
  "answers the methods that its features name",
])

describeWith("dovecot")("email, at a real Dovecot and a real SMTP server", () => {
  const checks = checksOf(email, afterAll)

  test.each(checks)("$name", async ({name, run}) => {
    const why = await run()
    expect({name, isLeftOut: why !== undefined}).toEqual({name, isLeftOut: leftOut.has(name)})
  })

  test("the checks that are left out exist in the suite", () => {
    expect(new Set(checks.map(({name}) => name))).toEqual(new Set([...checks.map(({name}) => name), ...leftOut]))
  })
})
