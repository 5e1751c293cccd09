import {describe, expect, test} from "vitest"
import {adapterChecks} from "../../../server/testing/adapter/conformance.ts"
import {irc, outcomesOf, sandbox, webhook} from "../../support/adapters/platforms.ts"
import {type Fault, queue} from "../../support/adapters/queue-platform.ts"

describe.each([
  ["irc, at a real ngircd", irc, 13],
  ["webhook", webhook, 11],
  ["sandbox", sandbox, 5],
  ["an adapter with a cursor", queue(), 0],
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
  ["short", "sends a text of the longest length whole, and a longer one in parts", /arrives whole, as one message/],
  ["halfway", "edits what it has sent, each part of it too", /each part of a message to be edited/],
  ["keeping", "deletes what it has sent", /the channel to have \["to stay"\]/],
  ["sticky", "reacts, and takes its reaction back", /to be taken back/],
  ["backwards", "tells the history of a channel in its order", /in their order/],
  ["restless", "opens a direct channel to a user", /the same channel/],
  ["unlisted", "lists the bot's commands where its users look for them", /to list the command help/],
  ["silent", "shows that the bot is writing", /to be seen writing/],
  ["unable", "answers the methods that its features name", /guild\.member\.mute needs, and it answered/],
  ["leaky", "leaves nothing behind when its account is removed and the Host stops", /with endpoint.defer/],
] as const satisfies readonly (readonly [Fault, string, RegExp])[]

test.for(found)("the conformance suite finds an adapter that is %s", async ([fault, name, message]) => {
  const check = adapterChecks({...queue(fault), kills: 2, patience: 4000}).find(each => each.name === name)
  await expect(check?.run()).rejects.toThrow(message)
})
