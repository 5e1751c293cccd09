import * as core from "@satorijs/core"
import {expect, test} from "vitest"
import type {Core, Session} from "../../../../server/adapters/satori-bridge/koishi.ts"
import {LastSessions} from "../../../../server/adapters/satori-bridge/methods.ts"
import {incomingFrom} from "../../../../server/adapters/satori-bridge/receive.ts"
import {Veil} from "../../../../server/adapters/satori-bridge/veil.ts"
import {Secret} from "../../../../shared/secret.ts"

class TestBot extends core.Bot {
  constructor(context: core.Context) {
    super(context, {}, "p")
    this.user = {id: "bot"}
  }
}

const bot = new TestBot(new core.Context())
const stock = {core: core as unknown as Core, veil: new Veil({secrets: {token: new Secret("to-ken")}})}
const read = (event: object) =>
  incomingFrom(bot.session({timestamp: 1000, ...event}) as unknown as Session, stock, ["platform:"])
const elementsOf = (content: string) => core.h.parse(content)
const said = (content: string, more = {}) => ({
  type: "message",
  channel: {id: "c", type: 0},
  user: {id: "ann", isBot: false},
  message: {id: "m", elements: elementsOf(content)},
  ...more,
})

test("a session becomes an event of Satori v1, with the platform's payload", () => {
  expect(read(said("<b>hi</b> a &lt; b", {_type: "p", _data: {seq: 7, at: 1n, key: "x to-ken"}}))).toEqual({
    id: "c/m",
    type: "message-created",
    timestamp: 1000,
    channel: {id: "c", type: 0},
    user: {id: "ann", is_bot: false},
    message: {id: "m", content: "<b>hi</b> a &lt; b"},
    raw: {type: "p", data: {seq: 7, at: "1", key: "x [secret]"}},
  })
})

test("a quote comes first, and files have the standard's names and an address for the adapter", () => {
  const quote = {id: "q", content: "before"}
  const {message} = read(said('<record filename="a.ogg" src="platform:/v/1"/>', {})) ?? {}
  expect(message?.content).toBe('<audio src="satori:platform:/v/1" title="a.ogg"/>')
  const quoted = {id: "m", elements: elementsOf("yes"), quote}
  expect(read(said("", {message: quoted}))?.message?.content).toBe('<quote id="q">before</quote>yes')
})

test("a command of the platform is the message that the user typed", () => {
  const message = {id: "m", elements: elementsOf("start now")}
  expect(read(said("", {type: "interaction/command", message}))).toMatchObject({
    type: "message-created",
    message: {content: "/start now"},
  })
})

test("an avatar whose address contains the token is left out", () => {
  const user = (avatar: string) => read(said("hi", {user: {id: "ann", avatar}}))?.user
  expect(user("https://api.example/file/botto-ken/a.jpg")).toEqual({id: "ann"})
  expect(user("https://cdn.example/a.jpg")).toEqual({id: "ann", avatar: "https://cdn.example/a.jpg"})
})

test("the bot's own messages, and the platform's duplicate of an event, are ignored", () => {
  expect(read(said("hi", {user: {id: "bot"}}))).toBeUndefined()
  expect(read({type: "internal", _type: "p/message", _data: {}})).toBeUndefined()
})

test("each event other than a new message has its own id", () => {
  const edited = said("hi", {type: "message-updated"})
  expect(read(edited)?.id).not.toBe(read(edited)?.id)
})

test("the last message of each channel is remembered, for at most 500 channels", () => {
  const sessions = new LastSessions()
  const session = (channelId: string, type = "message") => ({channelId, type}) as Session
  for (let n = 0; n < 501; n++) sessions.learn(session(`c${n}`))
  sessions.learn(session("c1", "interaction/button"))
  expect(sessions.of("c0")).toBeUndefined()
  expect(sessions.of("c1")?.type).toBe("message")
})
