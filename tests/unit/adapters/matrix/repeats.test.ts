import {expect, test} from "vitest"
import {Client} from "../../../../server/adapters/matrix/client/client.ts"
import {marked, Repeats} from "../../../../server/adapters/matrix/repeats.ts"
import {startStandIn} from "../../../support/machine/stand-in-server.ts"

const {signal} = new AbortController()
const self = {id: "@bot:a", name: "Bot"}
const event = (id: string, transaction: unknown, sender = self.id) => ({
  event_id: id,
  type: "m.room.message",
  sender,
  content: {msgtype: "m.text", body: id, "svc.transaction_id": transaction},
})

/** Serves a room as a homeserver does, newest message first, in pages. */
const lookIn = async (pages: readonly (readonly unknown[])[]) => {
  const {url, requests} = await startStandIn((request, response) => {
    const n = Number(new URL(request.url ?? "", "http://platform").searchParams.get("from") ?? 0)
    const end = n + 1 < pages.length ? {end: String(n + 1)} : {}
    response.end(JSON.stringify({chunk: pages[n], ...end}))
  })
  return {repeats: new Repeats(new Client(url, "t"), self), requests}
}

test("content names the transaction that sent it", () => {
  expect(marked({body: "x"}, "a-2")).toEqual({body: "x", "svc.transaction_id": "a-2"})
})

test("the search finds the bot's earlier message, the older of two, and trusts no other sender", async () => {
  const {repeats, requests} = await lookIn([
    [event("$forged", "b", "@eve:a"), event("$2", "a-2"), event("$junk", 7), null, event("$later", "a")],
    [event("$first", "a")],
  ])
  expect([...(await repeats.sentBefore("!r:a", "b", signal))]).toEqual([
    ["a-2", "$2"],
    ["a", "$first"],
  ])
  expect(requests).toHaveLength(2)
  const query = new URL(requests[0]?.path ?? "", "http://platform").searchParams
  expect(query.get("dir")).toBe("b")
  expect(JSON.parse(query.get("filter") ?? "")).toEqual({senders: ["@bot:a"], types: ["m.room.message"]})
})

test("the search stops at the first match, and reads at most three pages", async () => {
  const pages = [[event("$9", "i")], [event("$8", "h")], [event("$7", "g")], [event("$6", "f")]]
  const near = await lookIn(pages)
  expect((await near.repeats.sentBefore("!r:a", "h", signal)).get("h")).toBe("$8")
  expect(near.requests).toHaveLength(2)
  const far = await lookIn(pages)
  expect((await far.repeats.sentBefore("!r:a", "f", signal)).has("f")).toBe(false)
  expect(far.requests).toHaveLength(3)
})

test("the search asks nothing when the homeserver has postponed the last attempt", async () => {
  const {repeats, requests} = await lookIn([[event("$1", "a")]])
  repeats.begin("a")
  repeats.postpone("a")
  expect((await repeats.sentBefore("!r:a", "a", signal)).size).toBe(0)
  expect(requests).toHaveLength(0)
  repeats.begin("a")
  expect((await repeats.sentBefore("!r:a", "a", signal)).size).toBe(1)
})

test.each([
  [{event_id: "$1", type: "m.room.message", sender: "@ann:a", content: {}, unsigned: {redacted_because: {}}}, true],
  [{event_id: "$1", type: "m.room.message", sender: "@ann:a", content: {}}, false],
  [undefined, false],
])("a deleted message is recognized: %j", async (found, isRedacted) => {
  const {url} = await startStandIn((_, response) =>
    found === undefined
      ? void response.writeHead(404).end('{"errcode": "M_NOT_FOUND"}')
      : void response.end(JSON.stringify(found)),
  )
  expect(await new Repeats(new Client(url, "t"), self).isRedacted("!r:a", "$1", signal)).toBe(isRedacted)
})
