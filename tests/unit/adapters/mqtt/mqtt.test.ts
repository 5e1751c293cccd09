import type {IPublishPacket} from "mqtt"
import {describe, expect, test} from "vitest"
import {Copies} from "../../../../server/adapters/mqtt/copies.ts"
import {readPayload, writePayload} from "../../../../server/adapters/mqtt/payload.ts"
import {toEvent} from "../../../../server/adapters/mqtt/receive.ts"
import {addressOf, channelOf, channelOfRequest, matchTopic} from "../../../../server/adapters/mqtt/topics.ts"

describe("topic filters", () => {
  // The examples of MQTT 5, sections 4.7.1 and 4.7.2.
  test.each([
    ["sport/tennis/player1/#", "sport/tennis/player1", [""]],
    ["sport/tennis/player1/#", "sport/tennis/player1/ranking", ["ranking"]],
    ["sport/tennis/player1/#", "sport/tennis/player1/score/wimbledon", ["score/wimbledon"]],
    ["sport/#", "sport", [""]],
    ["#", "any/thing", ["any/thing"]],
    ["sport/tennis/+", "sport/tennis/player1", ["player1"]],
    ["sport/tennis/+", "sport/tennis/player1/ranking", undefined],
    ["sport/+", "sport", undefined],
    ["sport/+", "sport/", [""]],
    ["+/+", "/finance", ["", "finance"]],
    ["/+", "/finance", ["finance"]],
    ["+", "/finance", undefined],
    ["#", "$SYS/uptime", undefined],
    ["+/monitor/Clients", "$SYS/monitor/Clients", undefined],
    ["$SYS/#", "$SYS/uptime", ["uptime"]],
    ["$share/group/room/+", "room/a", ["a"]],
    ["Room", "room", undefined],
  ])("%s and %s", (filter, topic, found) => expect(matchTopic(filter, topic)).toEqual(found))

  test("the first match names the channel, which may contain the wildcard's value", () => {
    const subscriptions = [{topic: "chat/+/in", channel: "{1}"}, {topic: "chat/#", channel: "rest"}, {topic: "free/#"}]
    expect(channelOf(subscriptions, "chat/lounge/in")).toBe("lounge")
    expect(channelOf(subscriptions, "chat/lounge/out")).toBe("rest")
    expect(channelOf(subscriptions, "free/a/b")).toBe("free/a/b")
    expect(channelOf(subscriptions, "other")).toBeUndefined()
  })
})

describe("the topic of a message", () => {
  const account = {url: "mqtt://127.0.0.1", clientId: "bot", publish: "chat/{channel}/out", answers: ["replies/+"]}

  test("is its channel's, or the response topic of a request", () => {
    expect(addressOf("a$&b", account)).toEqual({responseTopic: "chat/a$&b/out"})
    const request = {responseTopic: "replies/ann", correlation: Buffer.from([0, 1, 255])}
    expect(addressOf(channelOfRequest(request), account)).toEqual(request)
    expect(addressOf(channelOfRequest({responseTopic: "replies/ann"}), account)).toEqual({responseTopic: "replies/ann"})
  })

  test.each(["+", "a/+/b", "a\0b", "secret/door#", "replies/ann/deeper#AAE", "#", "x".repeat(70_000)])(
    "is never %j",
    channel => expect(() => addressOf(channel, account)).toThrow(/\btopic\b/),
  )
})

describe("payloads", () => {
  const json = {format: "json", text: "body.text", user: "from", id: "n"} as const
  const read = (payload: string | Buffer, format?: typeof json) => readPayload(Buffer.from(payload), format)

  test("are text if the bytes are UTF-8", () => {
    expect(read("\ufeffgrüß <b>")).toEqual({text: "\ufeffgrüß <b>"})
    expect(read(Buffer.from([0xc3, 0x28]))).toBeUndefined()
    expect(read("")).toBeUndefined()
  })

  test.each([
    ['{"body":{"text":"hi"},"from":"ann","n":7}', {text: "hi", user: "ann", id: "7"}],
    ['{"body":{"text":"hi"},"from":{"a":1},"n":null}', {text: "hi"}],
    ['{"body":{"text":""}}', undefined],
    ['{"body":"text"}', undefined],
    ['{"text":"hi"}', undefined],
    ["[1]", undefined],
    ["{", undefined],
  ])("%s", (payload, said) => expect(read(payload, json)).toEqual(said))

  test("from the bot are read back unchanged", () => {
    const said = {text: 'a "quoted" <line>\n', user: "bot", id: "1"}
    expect(readPayload(Buffer.from(writePayload(said, json)), json)).toEqual(said)
    const hostile = {format: "json", text: "__proto__.text", user: "constructor", id: "__proto__.id"} as const
    expect(readPayload(Buffer.from(writePayload(said, hostile)), hostile)).toEqual(said)
    expect(Object.hasOwn(Object.prototype, "text")).toBe(false)
  })
})

describe("events", () => {
  const account = {url: "mqtt://127.0.0.1", clientId: "bot", subscribe: [{topic: "room/+"}]}
  const packet = (more: Partial<IPublishPacket> = {}): IPublishPacket => ({
    cmd: "publish",
    qos: 1,
    dup: false,
    retain: false,
    topic: "room/a",
    payload: Buffer.from("<at id='x'/> & more"),
    ...more,
  })

  test("never contain a user's text as markup", () => {
    expect(toEvent(packet(), account, undefined, 5)?.event).toMatchObject({
      type: "message-created",
      timestamp: 5,
      channel: {id: "room/a", type: 0},
      user: {id: "room/a"},
      message: {content: "&lt;at id='x'/&gt; &amp; more"},
    })
  })

  const idOf = (more: Partial<IPublishPacket>, last?: string) =>
    toEvent(packet(more), account, {valueOf: () => last})?.event.id

  test("are distinguished by the sender's id per topic and its content; without one, each delivery has its own id", () => {
    const withId = (more: Partial<IPublishPacket>) =>
      idOf({...more, properties: {userProperties: {id: ["7", "8"], user: "ann"}, ...more.properties}})
    expect(withId({})).toMatch(/^room\/a 7 [0-9a-f]{16}$/)
    expect(withId({dup: true, retain: true})).toBe(withId({}))
    const others: Partial<IPublishPacket>[] = [
      {topic: "room/b"},
      {payload: "another reading"},
      {properties: {userProperties: {id: "7", user: "bob"}}},
      {properties: {responseTopic: "replies/ann", correlationData: Buffer.from([1])}},
      {properties: {responseTopic: "replies/ann", correlationData: Buffer.from([2])}},
    ]
    expect(new Set([withId({}), ...others.map(withId)]).size).toBe(others.length + 1)
    expect(idOf({})).not.toBe(idOf({dup: true}))
    const {value} = toEvent(packet({payload: "before", properties: {userProperties: {id: "7"}}}), account) ?? {}
    const after = {properties: {userProperties: {id: "7"}}}
    expect(idOf(after, value)).not.toBe(idOf(after))
    expect(idOf({...after, payload: "before"}, `${value} 12345678`)).toBe(`room/a 7 ${value} 12345678`)
  })

  test("of a retained message have an id made of its content, until another value came between", () => {
    expect(idOf({retain: true})).toBe(idOf({retain: true}))
    expect(idOf({retain: true, payload: "other"})).not.toBe(idOf({retain: true}))
    expect(idOf({retain: true}, "the other value")).not.toBe(idOf({retain: true}, "the other value"))
  })

  test.each([
    ["a copy for each subscription", [1, 2, 1, 2], [false, true, false, true]],
    ["the copies of two equal messages, in another order", [1, 1, 2, 2], [false, false, true, true]],
    [
      "one delivery for all subscriptions",
      [
        [1, 2],
        [1, 2],
      ],
      [false, false],
    ],
    ["messages from before a subscription was made", [2, 2, 1, 2], [false, false, true, false]],
    ["a broker without identifiers", [undefined, undefined], [false, false]],
  ])("are recognized as copies: %s", (_, identifiers, expected) => {
    const copies = new Copies()
    const isCopy = (subscriptionIdentifier: number | number[] | undefined) =>
      copies.isCopy("v", packet(subscriptionIdentifier === undefined ? {} : {properties: {subscriptionIdentifier}}), 0)
    expect(identifiers.map(isCopy)).toEqual(expected)
    expect(copies.isCopy("other", packet({properties: {subscriptionIdentifier: 1}}), 0)).toBe(false)
    expect(copies.isCopy("v", packet({properties: {subscriptionIdentifier: 2}}), 60_000)).toBe(false)
  })

  test("need a matching subscription", () => expect(toEvent(packet({topic: "elsewhere"}), account)).toBeUndefined())
})
