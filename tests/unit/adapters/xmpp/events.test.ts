import {describe, expect, test} from "vitest"
import {deletedByRoom, eventsOf, type Scene} from "../../../../server/adapters/xmpp/content/events.ts"
import {Memory} from "../../../../server/adapters/xmpp/content/memory.ts"
import {parseXml} from "../../../support/platforms/xmpp/parse.ts"

const room = "team@rooms.localhost"
const inRoom: Scene = {
  channel: {id: room, type: 0},
  guild: {id: room},
  user: {id: `${room}/ann`, name: "ann"},
  bot: {id: "bot@localhost", name: "bot", nick: "bot"},
}
const direct: Scene = {...inRoom, channel: {id: "ann@localhost", type: 1}, user: {id: "ann@localhost"}}
const {guild: _, ...alone} = direct

const memoryOf = (user: string | undefined, channel = room) => {
  const memory = new Memory()
  memory.remember(channel, {id: "m1", origin: "o1", user, text: "before", from: "x"})
  return memory
}

const read = (inner: string, scene: Scene, memory = new Memory(), id = "e1") =>
  eventsOf(parseXml(`<message>${inner}</message>`), {id, message: "m2", origin: "o2", at: 5}, scene, memory).map(
    ({id: event, type, message, emoji}) => [event, type, message?.id, emoji?.id ?? message?.content],
  )

const correction = (id: string) => `<body>after</body><replace xmlns='urn:xmpp:message-correct:0' id='${id}'/>`
const retraction = (id: string) => `<body>x</body><retract xmlns='urn:xmpp:message-retract:1' id='${id}'/>`
const oldRetraction = (id: string) =>
  `<apply-to xmlns='urn:xmpp:fasten:0' id='${id}'><retract xmlns='urn:xmpp:message-retract:0'/></apply-to>`
const reactions = (...emojis: string[]) =>
  `<reactions xmlns='urn:xmpp:reactions:0' id='m1'>${emojis.map(each => `<reaction>${each}</reaction>`).join("")}</reactions>`

const ann = `${room}/ann`

describe("a stanza becomes", () => {
  test.each([
    ["a message", "<body>hi</body>", [["e1", "message-created", "m2", "hi"]]],
    ["a receipt", "<received xmlns='urn:xmpp:receipts' id='1'/>", []],
    ["a state of the chat", "<composing xmlns='http://jabber.org/protocol/chatstates'/>", []],
    ["a correction of a message of her own", correction("o1"), [["e1", "message-updated", "m1", "after"]]],
    ["a correction of an unknown message", correction("o9"), []],
    ["a retraction of her own", retraction("m1"), [["e1", "message-deleted", "m1", ""]]],
    ["a retraction as it was before", oldRetraction("m1"), [["e1", "message-deleted", "m1", ""]]],
    ["a retraction of an unknown message", retraction("m9"), []],
    ["a retraction without an id", "<retract xmlns='urn:xmpp:message-retract:1'/>", []],
  ])("the right event in a room: %s", (_, inner, expected) => {
    expect(read(inner, inRoom, memoryOf(ann))).toEqual(expected)
  })

  test("no event when it corrects or retracts another user's message in a room", () => {
    expect(read(correction("o1"), inRoom, memoryOf(`${room}/ben`))).toEqual([])
    expect(read(retraction("m1"), inRoom, memoryOf(`${room}/ben`))).toEqual([])
    expect(read(retraction("m1"), inRoom, memoryOf(undefined))).toEqual([])
  })

  test("an event about the peer's messages by id in a direct chat, but not about the bot's", () => {
    expect(read(correction("o9"), alone)).toEqual([["e1", "message-updated", "o9", "after"]])
    expect(read(retraction("o9"), alone)).toEqual([["e1", "message-deleted", "o9", ""]])
    for (const act of [retraction("m1"), correction("m1")])
      expect(read(act, alone, memoryOf(undefined, "ann@localhost"))).toEqual([])
  })

  test("a correction of the first message when it corrects a correction", () => {
    const memory = memoryOf(ann)
    read(correction("o1"), inRoom, memory)
    expect(read(correction("o2"), inRoom, memory, "e2")).toEqual([["e2", "message-updated", "m1", "after"]])
  })

  test("an event for each reaction that changed", () => {
    const memory = memoryOf(ann)
    expect(read(reactions("👍", "👍", "🎉"), inRoom, memory)).toEqual([
      ["e1 +👍", "reaction-added", "m1", "👍"],
      ["e1 +🎉", "reaction-added", "m1", "🎉"],
    ])
    expect(read(reactions("🎉", "&lt;b&gt;"), inRoom, memory, "e2")).toEqual([
      ["e2 +<b>", "reaction-added", "m1", "<b>"],
      ["e2 -👍", "reaction-removed", "m1", "👍"],
    ])
    expect(read(reactions(), inRoom, memory, "e3").map(([, type]) => type)).toEqual([
      "reaction-removed",
      "reaction-removed",
    ])
  })

  test("a moderation event, in the current and the former form", () => {
    const now = `<retract xmlns='urn:xmpp:message-retract:1' id='m1'><moderated xmlns='urn:xmpp:message-moderate:1' by='${ann}'/></retract>`
    const before = `<apply-to xmlns='urn:xmpp:fasten:0' id='m1'><moderated xmlns='urn:xmpp:message-moderate:0' by='${ann}'/></apply-to>`
    for (const inner of [now, before])
      expect(deletedByRoom(parseXml(`<message>${inner}</message>`))).toEqual({id: "m1", by: ann})
    expect(deletedByRoom(parseXml(`<message>${retraction("m1")}</message>`))).toBeUndefined()
  })
})

test("the memory forgets the oldest message", () => {
  const memory = new Memory()
  for (let n = 0; n < 5001; n++) memory.remember("c", {id: `m${n}`, origin: `o${n}`, user: "u", text: "x", from: "u"})
  expect(memory.find("c", "m0")).toBeUndefined()
  expect(memory.idOf("c", "u", "o5000")).toBe("m5000")
})
