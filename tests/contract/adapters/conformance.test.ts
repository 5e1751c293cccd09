import {describe, expect, test} from "vitest"
import {adapterChecks} from "../../../server/testing/adapter/conformance.ts"
import {irc, outcomesOf, sandbox, webhook} from "../../support/adapters/platforms.ts"
import {type Fault, queue} from "../../support/adapters/queue-platform.ts"

describe.each([
  ["irc, at a real ngircd", irc, 17],
  ["webhook", webhook, 15],
  ["sandbox", sandbox, 7],
  ["an adapter with a cursor", queue(), 1],
] as const)("%s", (_, adapter, most) => {
  test("keeps what the conformance suite of adapters asks", async () => {
    const outcomes = await outcomesOf(adapter)
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome.startsWith("failed"))).toEqual([])
    expect(Object.values(outcomes).filter(outcome => outcome !== "passed").length).toBeLessThanOrEqual(most)
  })
})

/** Which check finds which fault, and what it says. */
const found = [
  ["early", "acknowledges only what is durable: nothing is lost or doubled by kill -9", /messages in the inbox/],
  ["ids", "gives a message that comes again the same id, so that it is stored once", /once/],
  ["storm", "fails with a remediation, and does not try again, where credentials are refused", /to be failed/],
  ["hasty", "waits where the platform asks it to", /throw retryAfter/],
  ["deaf", "waits where the platform asks it to", /throw retryAfter/],
  ["renaming", "fetches what it missed, under the ids that it has live", /the same id as live/],
  ["short", "sends a text of the longest length whole, and a longer one in parts", /arrives whole, as one message/],
  ["halfway", "edits what it has sent, each part of it too", /each part of a message to be edited/],
  ["strict", "deletes what it has sent", /message\.delete/],
  ["keeping", "deletes what it has sent", /the channel to have \["to stay"\]/],
  ["sticky", "reacts, and takes its reaction back", /to be taken back/],
  ["backwards", "tells the history of a channel in its order", /in their order/],
  ["restless", "opens a direct channel to a user", /the same channel/],
  ["unlisted", "lists the bot's commands where its users look for them", /to list the command help/],
  ["silent", "shows that the bot is writing", /to be seen writing/],
  ["unable", "answers the methods that its features name", /guild\.member\.mute needs, and it answered/],
  ["torn", "sends a file whole, under its name", /a file arrives whole/],
  ["blind", "reads the files that it hands over", /download gives the file whole/],
  ["trusting", "tells in its check whether an account can work", /finds what is refused/],
  ["leaky", "leaves nothing behind when its account is removed and the Host stops", /with endpoint.defer/],
] as const satisfies readonly (readonly [Fault, string, RegExp])[]

const checkOf = (fault: Fault, name: string, history: "replay" | "none" = "replay") =>
  adapterChecks({...queue(fault, history), kills: 2, patience: 20_000}).find(each => each.name === name)

// Most of them wait until something has not come: side by side.
test.concurrent.for(found)("the conformance suite finds an adapter that is %s", async ([fault, name, message]) => {
  await expect(checkOf(fault, name, fault === "renaming" ? "none" : "replay")?.run()).rejects.toThrow(message)
})

test("an adapter whose platform delivers nothing again passes with its history", async () => {
  expect(await checkOf("none", "fetches what it missed, under the ids that it has live", "none")?.run()).toBeUndefined()
})
