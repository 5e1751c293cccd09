import {readFileSync} from "node:fs"
import type {Element} from "@xmpp/client"
import type {Update} from "grammy/types"
import {expect, test} from "vitest"
import {Places} from "../../../server/adapters/discord/api/places.ts"
import {readEvent as readDiscord} from "../../../server/adapters/discord/gateway/events.ts"
import {messageEvent as readMail} from "../../../server/adapters/email/content/event.ts"
import {receiveFrom} from "../../../server/adapters/irc/receive.ts"
import {readEvent as readMatrix} from "../../../server/adapters/matrix/client/event.ts"
import {Translator} from "../../../server/adapters/matrix/events.ts"
import {toEvent as readMqtt} from "../../../server/adapters/mqtt/receive.ts"
import {toEvent as readOneBot} from "../../../server/adapters/onebot/events.ts"
import {incomingOf} from "../../../server/adapters/satori/event.ts"
import {readEvents as readSlack} from "../../../server/adapters/slack/incoming/events.ts"
import {Threads} from "../../../server/adapters/slack/incoming/threads.ts"
import {readUpdate} from "../../../server/adapters/telegram/incoming/events.ts"
import {toIncoming} from "../../../server/adapters/webhook/event.ts"
import {eventsOf} from "../../../server/adapters/xmpp/content/events.ts"
import {Memory} from "../../../server/adapters/xmpp/content/memory.ts"
import {saidOf} from "../../../server/adapters/xmpp/content/said.ts"
import {builtIns} from "../../../server/host/plugins/built-in-plugins.ts"
import type {AdapterDefinition} from "../../../shared/sdk/adapter/adapter.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import type {TSchema} from "../../../shared/type.ts"
import {localDatabase, log, open} from "../../support/database/databases.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"
import {parseXml} from "../../support/platforms/xmpp/parse.ts"

type Read = readonly Incoming[] | Incoming | undefined

const discord = (content: string, name: string): Read => {
  const places = new Places()
  readDiscord(
    {name: "CHANNEL_UPDATE", sequence: 1, at: 0, data: {id: "600", name}},
    {places, me: "9", session: {id: "s", since: 0}},
  )
  const author = {id: "42", username: name}
  const data = {id: "175928847299117063", channel_id: "600", content: `${content} <#600>`, author}
  return readDiscord(
    {name: "MESSAGE_CREATE", sequence: 7, data, at: 0},
    {places, me: "9", session: {id: "s", since: 0}},
  )
}

const mail = (text: string, uid: number): Read => {
  const from = {address: "ann@x.test", name: "Ann"}
  const headers = {
    messageId: "m@x",
    inReplyTo: [],
    references: [],
    subject: "S",
    from,
    replyTo: undefined,
    to: [],
    cc: [],
  }
  const files = [{part: "2", type: "image/png", name: "a.png", cid: undefined}]
  return readMail(
    {
      uid,
      arrived: 5,
      size: 9,
      headers: {...headers, date: "today", automatic: undefined, account: undefined},
      written: Buffer.from(""),
      outline: {texts: [], files, more: 0},
    },
    {texts: [{isHtml: false, text}], isCut: false},
    {address: "ann@x.test", thread: "0".repeat(16)},
    {account: {} as Parameters<typeof readMail>[3]["account"], validity: String(uid)},
  )
}

/** A fake client of a network that gives each message this id. */
const irc = (message: string): Read => {
  const heard: Incoming[] = []
  const handlers = new Map<string, (event: object) => void>()
  const client = {
    on: (type: string, handle: (event: object) => void) => void handlers.set(type, handle),
    user: {nick: "bot"},
    caseCompare: (one: string, other: string) => one === other,
    caseLower: (text: string) => text.toLowerCase(),
    network: {cap: {isEnabled: () => false}},
  }
  const endpoint = {log, receive: async (event: Incoming) => void heard.push(event)}
  receiveFrom(
    client as unknown as Parameters<typeof receiveFrom>[0],
    endpoint as unknown as Parameters<typeof receiveFrom>[1],
  )
  handlers.get("privmsg")?.({nick: "ann", target: "#c", message, tags: {msgid: "7"}, from_server: false})
  return heard
}

const matrix = async (body: string, age: number): Promise<Read> => {
  const rooms = {memberName: async () => `Ann ${age}`, place: async () => ({channel: {id: "!r", type: 0}})}
  const translator = new Translator({
    self: {id: "@bot:x", name: "bot"},
    rooms,
    log,
  } as unknown as ConstructorParameters<typeof Translator>[0])
  const content = {msgtype: "m.text", body}
  const sent = {event_id: "$1", type: "m.room.message", sender: "@ann:x", origin_server_ts: 5, content}
  const event = readMatrix({...sent, unsigned: {age}})
  return event && translator.incoming("!r", event)
}

const mqtt = (text: string, dup: boolean): Read =>
  readMqtt(
    {cmd: "publish", qos: 1, dup, retain: false, topic: "t", payload: JSON.stringify({id: "sensor", text})},
    {url: "mqtt://x", clientId: "bot", subscribe: [{topic: "t"}], payload: {format: "json"}},
  )?.event

const onebot = (message: string, time: number): Read =>
  readOneBot({
    time,
    self_id: 1,
    post_type: "message",
    message_type: "group",
    group_id: 7,
    user_id: 42,
    message_id: 5,
    message,
  })

const satori = (content: string, src: string): Read =>
  incomingOf(
    {
      sn: 3,
      timestamp: 1000,
      type: "message-created",
      channel: {id: "c", type: 0},
      user: {id: "ann"},
      message: {id: "m", content: `${content}<img src="https://x/${src}"/>`},
    },
    {login: {user: {id: "bot"}}, proxies: []},
  )

const slack = (text: string): Read =>
  readSlack(
    {event_id: "Ev1", event: {type: "message", channel: "C1", user: "U1", text, ts: "1700000000.000100"}},
    {me: {user: "U0"}, threads: new Threads()},
  )

const telegram = (text: string): Read => {
  const message = {message_id: 3, date: 5, chat: {id: 7, type: "private", first_name: "A"}, from: {id: 7}, text}
  return readUpdate({update_id: 5, message} as unknown as Update, {id: 9, username: "bot"})
}

/** A message that a server without an archive has stored, or delivers at once. */
const xmpp = (body: string, stamp?: string): Read => {
  const delay = stamp === undefined ? "" : `<delay xmlns='urn:xmpp:delay' stamp='${stamp}'/>`
  const message: Element = parseXml(
    `<message from='r@x/ann' id='1' type='groupchat'><body>${body}</body>${delay}</message>`,
  )
  const scene = {channel: {id: "r@x", type: 0}, user: {id: "r@x/ann"}, bot: {id: "bot@x", name: "bot"}}
  return eventsOf(message, saidOf(message, {id: undefined, at: 5}, "r@x", undefined), scene, new Memory())
}

const sandbox = (content: string): Read => ({
  id: "1",
  type: "message-created",
  channel: {id: "chat", type: 1},
  user: {id: "you"},
  message: {id: "1", content},
})

/**
 * A message, the same one as the platform delivers it again, and another one under its id. The last is stored where ids
 * are short, made by devices or start over, and else counted as a repeat with other content.
 */
const adapters: Readonly<
  Record<string, readonly [Read | Promise<Read>, Read | Promise<Read>, Read | Promise<Read>, "stored" | "counted"]>
> = {
  sandbox: [sandbox("a"), sandbox("a"), sandbox("b"), "counted"],
  discord: [discord("a", "old"), discord("a", "new"), discord("b", "new"), "counted"],
  email: [mail("a", 1), mail("a", 2), mail("b", 2), "counted"],
  irc: [irc("a"), irc("a"), irc("b"), "stored"],
  matrix: [matrix("a", 5), matrix("a", 900), matrix("b", 900), "counted"],
  mqtt: [mqtt("a", false), mqtt("a", true), mqtt("b", false), "stored"],
  onebot: [onebot("a", 100), onebot("a", 100), onebot("a", 200), "stored"],
  satori: [satori("a", "old"), satori("a", "new"), satori("b", "new"), "counted"],
  "satori-bridge": [satori("a", "old"), satori("a", "new"), satori("b", "new"), "counted"],
  slack: [slack("a"), slack("a"), slack("b"), "counted"],
  telegram: [telegram("a"), telegram("a"), telegram("b"), "stored"],
  webhook: [
    toIncoming("1", 1000, '{"text":"a"}'),
    toIncoming("1", 2000, '{"text":"a"}'),
    toIncoming("1", 3000, '{"text":"b"}'),
    "counted",
  ],
  xmpp: [xmpp("a", "2026-01-01T00:00:00Z"), xmpp("a", "2026-01-01T00:00:00Z"), xmpp("a"), "stored"],
}

const built = Object.entries(builtIns).filter(([name]) => name !== "workroom" && name !== "agents")

const definitionOf = async (load: () => Promise<unknown>): Promise<AdapterDefinition<TSchema>> => {
  const found: AdapterDefinition<TSchema>[] = []
  const registers = {adapter: (_: string, definition: AdapterDefinition<TSchema>) => void found.push(definition)}
  const plugin = new Proxy(registers, {get: (own, key) => Reflect.get(own, key) ?? (() => {})})
  const loaded = (await load()) as {readonly default: {setup(plugin: unknown): void}}
  loaded.default.setup(plugin)
  return found[0] ?? expect.fail("it registers no adapter")
}

const documented = readFileSync(new URL("../../../docs/adapters/README.md", import.meta.url), "utf8")

test.each(built)("%s: an acknowledged message is never gone, and a repeated one is stored once", async (name, load) => {
  const [first, again, other, outcome] = adapters[name] ?? expect.fail(`${name} has no row`)
  expect(documented).toMatch(new RegExp(`^\\| \`${name}\`.*\\| ${outcome} \\|`, "m"))
  const {claimedIds = false, varies = [], history} = await definitionOf(load)
  const database = await open(await localDatabase())
  const line = await startInbox(database, {}, {spec: {claimedIds, varies, history}})
  const receive = async (read: Read | Promise<Read>) => {
    const [event, ...more] = [(await read) ?? []].flat()
    expect(more).toEqual([])
    return line.receive(event ?? expect.fail("it was not read"))
  }
  expect(await receive(first)).toMatchObject({sn: 1, duplicate: false})
  expect(await receive(again)).toMatchObject({sn: 1, duplicate: true})
  const isNew = outcome === "stored"
  expect(await receive(other)).toMatchObject({sn: isNew ? 2 : 1, duplicate: !isNew})
  expect(line.inbox.repeats.of("line")).toEqual({same: 1, differs: isNew ? 0 : 1})
})
