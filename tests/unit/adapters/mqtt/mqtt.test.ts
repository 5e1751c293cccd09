import type {IPublishPacket} from "mqtt"
import {describe, expect, test} from "vitest"
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
  ])("%s and %s", (filter, topic, found) => {
    expect(matchTopic(filter, topic)).toEqual(found)
  })

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
    channel => {
      expect(() => addressOf(channel, account)).toThrow(/\btopic\b/)
    },
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
  ])("%s", (payload, said) => {
    expect(read(payload, json)).toEqual(said)
  })

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
    expect(toEvent(packet(), account, 5)).toMatchObject({
      type: "message-created",
      timestamp: 5,
      channel: {id: "room/a", type: 0},
      user: {id: "room/a"},
      message: {content: "&lt;at id='x'/&gt; &amp; more"},
    })
  })

  test("are distinguished by the sender's id per topic; without one, each delivery has its own id", () => {
    const withId = (topic: string) => packet({topic, properties: {userProperties: {id: ["7", "8"], user: "ann"}}})
    expect(toEvent(withId("room/a"), account)).toMatchObject({id: "room/a 7", user: {id: "ann"}})
    expect(toEvent(withId("room/b"), account)?.id).toBe("room/b 7")
    expect(toEvent(packet(), account)?.id).not.toBe(toEvent(packet({dup: true}), account)?.id)
  })

  test("of a retained message have an id made of its content", () => {
    const [one, same] = [toEvent(packet({retain: true}), account), toEvent(packet({retain: true}), account)]
    expect(one?.id).toBe(same?.id)
    expect(toEvent(packet({retain: true, payload: "other"}), account)?.id).not.toBe(one?.id)
  })

  test("need a matching subscription", () => {
    expect(toEvent(packet({topic: "elsewhere"}), account)).toBeUndefined()
  })
})
