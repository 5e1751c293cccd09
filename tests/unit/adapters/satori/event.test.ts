import {expect, test} from "vitest"
import {incomingOf} from "../../../../server/adapters/satori/event.ts"
import {methodNames, parametersOf} from "../../../../server/adapters/satori/methods.ts"
import {isOf, readLogin, readLogins, readSignal, snOf} from "../../../../server/adapters/satori/protocol.ts"
import {methodNames as satoriMethods} from "../../../../shared/sdk/content/satori-methods.ts"

const login = {sn: 7, platform: "p", user: {id: "bot"}, status: 1, features: []}
const read = (event: object) => incomingOf({sn: 3, timestamp: 1000, ...event}, {login, proxies: []})
const message = {channel: {id: "c", type: 0}, user: {id: "ann"}, message: {id: "m", content: "hi"}}

test("an event of a message keeps its id under any number, and other events each have their own", () => {
  expect(read({type: "message-created", ...message})?.id).toBe("c/m")
  expect(read({type: "message", sn: 99, ...message})).toMatchObject({id: "c/m", type: "message-created"})
  expect(read({type: "message-updated", ...message})?.id).toBe("message-updated/3/1000")
  expect(read({type: "reaction-deleted/one", ...message, emoji: {name: "👍"}})).toMatchObject({
    id: "reaction-removed/3/1000",
    emoji: {id: "👍", name: "👍"},
  })
  const undated = (content: string) =>
    read({type: "message-updated", ...message, message: {id: "m", content}, timestamp: undefined})?.id
  expect([undated("one"), undated("two")]).not.toContain(undated("three"))
  expect(undated("one")).toBe(undated("one"))
})

test.each([
  ["of the bot itself", {type: "message-created", ...message, user: {id: "bot"}}],
  ["of a future type", {type: "message-pinned", ...message}],
  ["of a login", {type: "login-updated", login: {}}],
  ["without a channel", {type: "message-created", message: {id: "m", content: "hi"}}],
  ["without a message", {type: "message-deleted", channel: {id: "c", type: 0}}],
  ["without a type", message],
])("an event %s is ignored", (_, event) => expect(read(event)).toBeUndefined())

test("an event keeps its user, place, button and the platform's payload", () => {
  expect(
    read({
      type: "interaction/button",
      channel: {id: 5, type: 1, name: "ann"},
      guild: {id: "g", name: "Guild", avatar: "x"},
      member: {
        nick: "Annie",
        user: {id: "ann", name: "Ann", is_bot: false, account: "ann@home"},
        roles: ["7", {id: 8, name: "9"}, {name: "9"}],
      },
      button: {id: "s:x:1"},
      form: {values: {name: "Ann", age: 3}},
      _type: "native",
      _data: {a: 1},
    }),
  ).toEqual({
    id: "interaction/button/3/1000",
    type: "interaction/button",
    timestamp: 1000,
    channel: {id: "5", type: 1, name: "ann"},
    guild: {id: "g", name: "Guild"},
    user: {id: "ann", name: "Ann", nick: "Annie", account: "ann@home", is_bot: false, roles: ["7", "8"]},
    button: {id: "x:1"},
    form: {values: {name: "Ann"}},
    raw: {type: "native", data: {a: 1}},
  })
})

test("logins and numbers are read in the words of the standard and of the first drafts", () => {
  expect(readLogin({sn: 1, platform: "p", user: {id: "u", nick: "N"}, status: 4, features: ["a", 1]})).toEqual({
    sn: 1,
    platform: "p",
    user: {id: "u", name: "N"},
    status: 4,
    features: ["a"],
  })
  expect(readLogin({platform: "p", self_id: "u"})).toMatchObject({user: {id: "u"}, status: 1})
  expect(readLogins([{platform: "p", status: 0}, null, 5])).toEqual([])
  expect([snOf({sn: 5}), snOf({id: 6}), snOf({id: "7"}), snOf({sn: -1}), snOf({sn: 1.5})]).toEqual([
    5,
    6,
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  [{login: {platform: "p", user: {id: "bot"}}}, true],
  [{login: {platform: "p", user: {id: "other"}}}, false],
  [{login: {platform: "q", user: {id: "bot"}}}, false],
  [{platform: "p", self_id: "bot"}, true],
  [{platform: "p", self_id: "other"}, false],
  [{login: {sn: 7}}, true],
  [{login: {sn: 8}}, false],
  [{}, true],
])("the login of an event is found: %j", (event, expected) => expect(isOf(event, login)).toBe(expected))

test.each(["", "{", "null", "[]", '"op"', '{"op":9}', '{"op":1}'])(
  "an invalid signal of a server is ignored: %s",
  text => expect(readSignal(text)).toBeUndefined(),
)

test("READY and META list the addresses that only the server opens", () => {
  expect(readSignal('{"op":4,"body":{"logins":[],"proxy_urls":["https://a/",5,""]}}')).toEqual({
    is: "ready",
    logins: [],
    proxies: ["https://a/"],
  })
  expect(readSignal('{"op":5,"body":{}}')).toEqual({is: "meta", proxies: []})
})

test("every Satori method goes to the server, with the reference implementation's words too", () => {
  expect([...methodNames].sort()).toEqual([...satoriMethods].sort())
  expect(parametersOf("guild.role.create", {guild_id: "g", role: {name: "r"}})).toEqual({
    guild_id: "g",
    role: {name: "r"},
    data: {name: "r"},
  })
  expect(parametersOf("channel.mute", {channel_id: "c", duration: 0})).toEqual({
    channel_id: "c",
    duration: 0,
    enable: false,
  })
  expect(parametersOf("user.get", {user_id: "u"})).toEqual({user_id: "u"})
})
