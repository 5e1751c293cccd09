import {describe, expect, test} from "vitest"
import {adapterChecks} from "../../../server/testing/adapter/conformance.ts"
import {irc, omissionsOf, sandbox, webhook} from "../../support/adapters/platforms.ts"
import {type Fault, queue} from "../../support/adapters/queue-platform.ts"

describe.each([
  ["irc, at a real ngircd", irc, 18],
  ["webhook", webhook, 17],
  ["sandbox", sandbox, 9],
  ["an adapter with a cursor", queue(), 3],
] as const)("%s", (_, adapter, most) => {
  test("passes the conformance suite for adapters", async () => {
    const omissions = Object.entries(await omissionsOf(adapter))
    expect(omissions.filter(([, why]) => why.startsWith("failed"))).toEqual([])
    expect(omissions.length).toBeLessThanOrEqual(most)
  })
})

const found = [
  ["early", "acknowledges only durable events: kill -9 loses and duplicates nothing", /messages in the inbox/],
  ["ids", "gives a redelivered message the same id, so that it is stored once", /once/],
  ["storm", "fails with a remediation and does not retry when credentials are refused", /to be failed/],
  ["hasty", "waits when the platform asks it to", /throw retryAfter/],
  ["deaf", "waits when the platform asks it to", /throw retryAfter/],
  ["renaming", "fetches missed messages under the same ids as live", /the same id in the history as live/],
  [
    "short",
    "sends a text of the longest length as one message, and a longer one in parts",
    /must arrive as one message/,
  ],
  ["halfway", "edits its messages, each part too", /each part of a message to be edited/],
  ["strict", "deletes its messages", /message\.delete/],
  ["keeping", "deletes its messages", /the channel to have \["to stay"\]/],
  ["sticky", "reacts, and removes its reaction", /to remove the bot's reaction/],
  ["backwards", "returns the history of a channel in order", /newest in order/],
  ["restless", "opens a direct channel to a user", /the same channel/],
  ["unlisted", "lists the bot's commands where its users look for them", /to list the command help/],
  ["silent", "shows that the bot is writing", /to show that the bot is typing/],
  ["unable", "answers the methods that its features name", /guild\.member\.mute needs, but the Host answered/],
  ["torn", "sends a complete file under its name", /a file must arrive complete/],
  ["blind", "reads the files of received messages", /download must return the complete file/],
  ["trusting", "reports in its check whether an account can work", /finds what the platform refuses/],
  ["leaky", "leaves nothing behind when its account is removed and the Host stops", /with endpoint.defer/],
] as const satisfies readonly (readonly [Fault, string, RegExp])[]

const checkOf = (fault: Fault, name: string, history: "replay" | "none" = "replay") =>
  adapterChecks({...queue(fault, history), kills: 2, patience: 20_000}).find(each => each.name === name)

// Most of these tests wait to see that nothing arrives, so they run in parallel.
test.concurrent.for(found)("the conformance suite finds an adapter that is %s", async ([fault, name, message]) => {
  await expect(checkOf(fault, name, fault === "renaming" ? "none" : "replay")?.run()).rejects.toThrow(message)
})

test("an adapter whose platform never redelivers passes thanks to its history", async () => {
  expect(await checkOf("none", "fetches missed messages under the same ids as live", "none")?.run()).toBeUndefined()
})
