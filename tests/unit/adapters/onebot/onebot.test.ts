import {describe, expect, test} from "vitest"
import {numberOf, resultOf, targetOf} from "../../../../server/adapters/onebot/api.ts"
import {toElements, toSegments} from "../../../../server/adapters/onebot/content.ts"
import {parseCq, segmentsOf, writeCq} from "../../../../server/adapters/onebot/cq.ts"
import {toEvent} from "../../../../server/adapters/onebot/events.ts"
import {createHook, scheme} from "../../../../server/adapters/onebot/hook.ts"
import {createVerifier} from "../../../../server/runtime/signatures/verifier.ts"
import {h, Problem, renderContent, Secret} from "../../../../shared/sdk/sdk.ts"

describe("CQ codes", () => {
  const text = (text: string) => ({type: "text", data: {text}})

  // The first two are the examples of OneBot v11, "message/string".
  test.each([
    [
      "[CQ:face,id=178]看看我刚拍的照片[CQ:image,file=123.jpg]",
      [{type: "face", data: {id: "178"}}, text("看看我刚拍的照片"), {type: "image", data: {file: "123.jpg"}}],
    ],
    [
      "[CQ:share,title=震惊&#44;小伙睡觉前居然...,url=http://baidu.com/?a=1&amp;b=2]",
      [{type: "share", data: {title: "震惊,小伙睡觉前居然...", url: "http://baidu.com/?a=1&b=2"}}],
    ],
    ["[CQ:shake]", [{type: "shake", data: {}}]],
    ["&#91;CQ:at&#44;qq=all&#93; &amp;#91;", [text("[CQ:at,qq=all] &#91;")]],
    ["[CQ:at,qq=1", [text("[CQ:at,qq=1")]],
    [
      "[CQ:image,file=a]b.png,url=https://e.org/[1]]!",
      [{type: "image", data: {file: "a]b.png", url: "https://e.org/[1]"}}, text("!")],
    ],
    ["[CQ:face,id=1] so, a=b]", [{type: "face", data: {id: "1"}}, text(" so, a=b]")]],
    ["[CQ:face,id=1],x=[2]", [{type: "face", data: {id: "1"}}, text(",x=[2]")]],
    ["[CQ:at,qq]", [text("[CQ:at,qq]")]],
    ["[CQ:]", [text("[CQ:]")]],
    ["[CQ:a,x=1[CQ:shake]", [text("[CQ:a,x=1"), {type: "shake", data: {}}]],
    ["", []],
  ])("%s", (message, segments) => expect(parseCq(message)).toEqual(segments))

  test("written text is read back unchanged, and never becomes a code", () => {
    const segments = [
      text("[CQ:at,qq=all] & &#91; , ]"),
      {type: "share", data: {title: "a,b=[c]&d", url: "http://x/?a=1,2"}},
    ]
    expect(parseCq(writeCq(segments))).toEqual(segments)
  })

  test("segments may be a list, a single one or text; junk is left out", () => {
    expect(segmentsOf([{type: "at", data: {qq: 42, x: {}}}, null, 7, {type: 1}, {type: "rps"}])).toEqual([
      {type: "at", data: {qq: "42"}},
      {type: "rps", data: {}},
    ])
    expect(segmentsOf({type: "text", data: {text: "one"}})).toEqual([text("one")])
    expect(segmentsOf("one")).toEqual([text("one")])
    expect(segmentsOf(undefined)).toEqual([])
  })
})

describe("incoming messages", () => {
  test.each([
    ["<at id='1'/>&amp;", "&lt;at id='1'/&gt;&amp;"],
    ["[CQ:at,qq=42] hi", '<at id="42"/> hi'],
    ["[CQ:at,qq=all]", '<at type="all"/>'],
    ["[CQ:reply,id=7]yes", '<quote id="7"/>yes'],
    ["[CQ:face,id=14]", '<emoji id="14" name="face 14"/>'],
    ["[CQ:image,file=a.jpg,url=https://e.org/a?x=1&amp;y=2]", '<img src="https://e.org/a?x=1&amp;y=2" title="a.jpg"/>'],
    ["[CQ:record,file=a.amr,url=https://e.org/a]", '<audio src="https://e.org/a" title="a.amr"/>'],
    ["[CQ:video,file=https://e.org/v.mp4]", '<video src="https://e.org/v.mp4"/>'],
    ["[CQ:image,file=file:///etc/passwd]", "[image: file:///etc/passwd]"],
    ["[CQ:share,url=https://e.org,title=T]", '<a href="https://e.org">T</a>'],
    ["[CQ:json,data={}]", "[json]"],
  ])("%s", (message, content) => expect(renderContent(toElements(segmentsOf(message)))).toBe(content))
})

test("outgoing messages are segments, with the reply first, and text stays text", async () => {
  const content = [
    h("p", "one ", h("b", "two")),
    h("at", {id: "42"}),
    " [CQ:at,qq=all] ",
    h("at", {type: "all"}),
    h("emoji", {id: "14"}),
    h("img", {src: "https://e.org/a.png", title: "a.png"}),
    h("img", {src: "file:///etc/passwd"}),
    h("a", {href: "https://e.org"}, "link"),
    h("x-unknown", "kept"),
    h("quote", {id: "7"}, "not sent"),
    h("p", "last"),
  ]
  expect(await toSegments(content, async () => undefined)).toEqual([
    {type: "reply", data: {id: "7"}},
    {type: "text", data: {text: "one two\n"}},
    {type: "at", data: {qq: "42"}},
    {type: "text", data: {text: " [CQ:at,qq=all] "}},
    {type: "at", data: {qq: "all"}},
    {type: "face", data: {id: "14"}},
    {type: "image", data: {file: "https://e.org/a.png", name: "a.png"}},
    {type: "text", data: {text: expect.stringMatching(/link \(https:\/\/e\.org\)kept\nlast$/)}},
  ])
})

test("a recorded post has the id of its first delivery, and is refused a day later", async () => {
  const verifier = createVerifier({...scheme, secret: new Secret("posts")})
  const ids: string[] = []
  const post = (body: string, now: number, take = async (_: object, id: string) => void ids.push(id)) => {
    const headers = verifier.sign("", body)
    const request = new Request("http://host/hooks", {method: "POST", body, headers})
    return createHook(
      verifier,
      take,
      () => now,
    )(request)
      .then(({status}) => status)
      .catch(error => (error instanceof Problem ? error.code : expect.fail(String(error))))
  }
  const day = 86_400_000
  const poke = (time: object) => JSON.stringify({...time, post_type: "notice", notice_type: "notify"})
  const statuses = [
    await post(poke({time: 1000}), 1_000_000),
    await post(poke({time: 1000}), 1_000_000 + day),
    await post(poke({time: 1000}), 1_000_001 + day),
    await post(poke({time: 1001}), 1_000_001 + day),
    await post(poke({}), 1_000_001 + day),
    await post(poke({}), 1_000_001 + day, async () => {
      throw new Problem("event_invalid", "it cannot be stored")
    }),
  ]
  expect(statuses).toEqual([204, 204, "request_invalid", 204, 204, "event_invalid"])
  expect(ids.map(id => ids.indexOf(id))).toEqual([0, 0, 2, 3])
})

describe("events", () => {
  const base = {time: 1_515_204_254, self_id: 10_001_000}
  const notice = (notice_type: string, more: object = {}) =>
    toEvent({...base, post_type: "notice", notice_type, group_id: 7, user_id: 42, ...more})

  test.each([
    ["group_increase", {sub_type: "approve", operator_id: 1}, "guild-member-added"],
    ["group_decrease", {sub_type: "kick", operator_id: 1}, "guild-member-removed"],
    ["group_decrease", {sub_type: "kick_me", user_id: 10_001_000}, "guild-removed"],
    ["group_admin", {sub_type: "set"}, "guild-member-updated"],
    ["group_ban", {sub_type: "ban", duration: 60}, "internal"],
    ["notify", {sub_type: "poke"}, "internal"],
  ])("a notice %s %j is %s", (kind, more, type) => {
    expect(notice(kind, more)).toMatchObject({
      type,
      timestamp: 1_515_204_254_000,
      guild: {id: "7"},
      raw: {type: `notice.${kind}`},
    })
  })

  test("a recalled message is deleted, under one id", () => {
    expect(notice("group_recall", {message_id: 5, operator_id: 1})).toMatchObject({
      id: "recall:7:5:1515204254",
      type: "message-deleted",
      user: {id: "1"},
      message: {id: "5"},
    })
    const friend = {...base, post_type: "notice", notice_type: "friend_recall", user_id: 42, message_id: 6}
    expect(toEvent(friend)).toMatchObject({channel: {id: "private:42", type: 1}, message: {id: "6"}})
  })

  test("requests name their flag", () => {
    const request = {...base, post_type: "request", user_id: 42, comment: "<hi>", flag: "f"}
    expect(toEvent({...request, request_type: "friend"})).toMatchObject({
      type: "friend-request",
      message: {id: "f", content: "&lt;hi&gt;"},
    })
    const group = {...request, request_type: "group", group_id: 7}
    expect(toEvent({...group, sub_type: "add"})?.type).toBe("guild-member-request")
    expect(toEvent({...group, sub_type: "invite"})?.type).toBe("guild-request")
  })

  // The example of OneBot v11, "event/message".
  test("a private message is in the channel of its user", () => {
    const message = {
      post_type: "message",
      message_type: "private",
      sub_type: "friend",
      message_id: 12,
      user_id: 12_345_678,
    }
    const sender = {nickname: "小不点", sex: "male", age: 18, role: "admin"}
    const told = {...base, ...message, message: "你好～", raw_message: "你好～", font: 456, sender}
    expect(toEvent({...told, message_type: "group", group_id: 7})?.user?.roles).toEqual(["admin"])
    expect(toEvent({...told, message_type: "group", group_id: 7, anonymous: {name: "A"}})?.user).toEqual({
      id: "12345678",
      name: "A",
    })
    expect(toEvent(told)?.user?.roles).toBeUndefined()
    expect(toEvent(told)).toMatchObject({
      id: "private:12345678:12:1515204254",
      type: "message-created",
      channel: {id: "private:12345678", type: 1},
      user: {id: "12345678", name: "小不点"},
      message: {id: "12", content: "你好～"},
    })
  })

  test.each([
    null,
    7,
    [],
    {},
    {post_type: "message"},
    {post_type: "message", message_type: "group", message: "no ids"},
    {post_type: "message_sent", message_type: "group", message_id: 1, user_id: 2},
    {post_type: "meta_event", meta_event_type: "heartbeat"},
    {
      post_type: "message",
      message_type: "group",
      message_id: 1,
      group_id: 7,
      user_id: 1,
      self_id: 1,
      message: "its own",
    },
  ])("%j is not an event", payload => expect(toEvent(payload)).toBeUndefined())

  test.each([
    {post_type: "notice", notice_type: "group_recall"},
    {post_type: "message", message_type: "group", group_id: 7, user_id: 42, self_id: 1, message: "no id"},
  ])("%j cannot be stored", payload => {
    expect(() => toEvent(payload)).toThrow(expect.objectContaining({code: "event_invalid"}))
  })
})

test("an answer that another attempt cannot change is a refusal", () => {
  expect(resultOf("a", {status: "ok", retcode: 0, data: 1})).toBe(1)
  expect(resultOf("a", {status: "async", retcode: 1, data: null})).toBeNull()
  for (const retcode of [100, 1400, 1401, 1403, 1404])
    expect(() => resultOf("a", {status: "failed", retcode})).toThrow(
      expect.objectContaining({remediation: expect.any(String)}),
    )
  expect(() => resultOf("a", {status: "failed", retcode: 120, wording: "muted"})).toThrow("a failed with 120: muted")
  for (const junk of [undefined, "ok", []]) expect(() => resultOf("a", junk)).toThrow(/\bobject\b/)
})

test("channels and users are numbers", () => {
  expect(targetOf("7")).toEqual({message_type: "group", group_id: 7})
  expect(targetOf("private:42")).toEqual({message_type: "private", user_id: 42})
  for (const id of ["", "room", "private:", "1e3", "9".repeat(20), "1.5"])
    expect(() => targetOf(id)).toThrow(/\bOneBot id\b/)
  expect(numberOf(-5)).toBe(-5)
})
