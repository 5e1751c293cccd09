import {describe, expect, onTestFinished, test} from "vitest"
import {startDiscord, startSlack, startTelegram} from "../../../server/testing/platforms/platforms.ts"
import {startBot} from "../../../server/testing/testing.ts"
import {definePlugin, Type} from "../../../shared/sdk/sdk.ts"

type Call = readonly [method: string, params: Readonly<Record<string, unknown>>]

/** What the bot calls on each platform, and a method that the fake does not know. */
const platforms = {
  telegram: {
    start: startTelegram,
    channel: "-100",
    pin: (channel: string, id: string) => ["pinChatMessage", {chat_id: channel, message_id: Number(id)}] as Call,
    unpin: (channel: string, id: string) => ["unpinChatMessage", {chat_id: channel, message_id: Number(id)}] as Call,
    invite: (channel: string) => ["createChatInviteLink", {chat_id: channel}] as Call,
    invited: {invite_link: expect.any(String)},
    unknown: ["createForumTopic", {chat_id: "-100", name: "News"}] as Call,
    method: "createForumTopic",
    known: "sendMessage",
  },
  discord: {
    start: startDiscord,
    channel: "600",
    pin: (channel_id: string, message_id: string) => ["pinMessage", {channel_id, message_id}] as Call,
    unpin: (channel_id: string, message_id: string) => ["unpinMessage", {channel_id, message_id}] as Call,
    invite: (channel_id: string) => ["createInvite", {channel_id}] as Call,
    invited: {code: expect.any(String)},
    unknown: ["createThread", {channel_id: "600", name: "News"}] as Call,
    method: "POST /channels/:channel_id/threads",
    known: "GET /channels/:channel/messages/pins",
  },
  slack: {
    start: startSlack,
    channel: "C0ROOM",
    pin: (channel: string, timestamp: string) => ["pins.add", {channel, timestamp}] as Call,
    unpin: (channel: string, timestamp: string) => ["pins.remove", {channel, timestamp}] as Call,
    invite: (channel: string) => ["conversations.invite", {channel, users: "U0EVE"}] as Call,
    invited: {channel: {id: "C0ROOM"}},
    unknown: ["conversations.create", {name: "news"}] as Call,
    method: "conversations.create",
    known: "chat.postMessage",
  },
}

const menu = definePlugin({
  raw: true,
  setup(plugin) {
    const take = plugin.action(
      "take",
      {data: Type.String(), expires: "never"},
      ({data, session}) => `${session.user?.id} took ${data}`,
    )
    plugin.on("message-created", async session => {
      if (session.text === "menu")
        await session.reply(["Take one.", take.button("a", "Left"), take.button("b", "Right")])
      if (session.text === "who") await session.reply(`of ${(await session.quoted())?.user?.id ?? "nobody"}`)
      if (session.text === "raw") await session.reply(`raw: ${JSON.stringify(session.event.raw)}`)
      if (session.text === "mine") await session.reply((await session.quoted())?.text ?? "nothing")
    })
  },
})

const open = async (name: keyof typeof platforms) => {
  const platform = await platforms[name].start()
  onTestFinished(() => platform.close())
  const votes: unknown[] = []
  const calls = Promise.withResolvers<(method: string, params: object) => Promise<unknown>>()
  const caller = definePlugin({
    platform: true,
    setup: plugin => {
      plugin.on("internal", session => void votes.push([session.event._type, session.user?.id]))
      plugin.onStart(() =>
        calls.resolve((method, params) =>
          plugin.callNow(`${name}~fake`, `${name}/${method}`, params as Record<string, unknown>),
        ),
      )
    },
  })
  const bot = await startBot({
    plugins: {menu: {plugin: menu}, caller: {plugin: caller}, [name]: {endpoints: [platform.account]}},
  })
  onTestFinished(() => bot.close())
  const call = await calls.promise
  const said = async (text: string, more: object = {}) => {
    const id = await platform.say(text, {channel: platforms[name].channel, ...more})
    await bot.settle()
    return id
  }
  const texts = () => platform.sent().map(({text}) => text)
  return {...platforms[name], platform, bot, call, said, texts, votes}
}

describe.each(["telegram", "discord", "slack"] as const)("the fake of %s", name => {
  test("shows pins of the bot, answers an invitation, and passes on presses and quotes of people", async () => {
    const {platform, bot, call, said, texts, channel, ...names} = await open(name)
    const own = await said("menu")
    const [shown] = platform.sent()
    await platform.press("Right", {user: name === "slack" ? "U0BOB" : "43"})
    await platform.press("Left", {message: shown?.id ?? ""})
    await bot.settle()
    expect(texts().slice(1)).toEqual([expect.stringMatching(/(43|BOB) took b$/), expect.stringMatching(/took a$/)])
    await expect(platform.press("Up")).rejects.toThrow("Left, Right")
    for (const id of [own, shown?.id ?? ""]) await call(...names.pin(channel, id))
    expect(platform.pinned(channel)).toEqual([own, shown?.id])
    await call(...names.unpin(channel, own))
    expect(platform.pinned(channel)).toEqual([shown?.id])
    expect(await call(...names.invite(channel))).toMatchObject(names.invited)
    await expect(platform.say("hi", {channel, quote: "999"})).rejects.toThrow("999")
  })

  test("hands its own update to a plugin with raw", async () => {
    const {said, texts} = await open(name)
    await said("raw")
    expect(texts()).toEqual([expect.stringMatching(/^raw: \{"type":"(message|MESSAGE_CREATE)","data":\{"/)])
  })

  test("answers an unknown method as ordered, and otherwise names what it knows", async () => {
    const {platform, call, unknown, method, known} = await open(name)
    platform.answerNext(method, {id: "7", name: "News"})
    expect(await call(...unknown)).toMatchObject({id: "7", name: "News"})
    const body = {ok: false, error: "restricted", code: 50_013, message: "restricted", description: "restricted"}
    platform.refuseNext(method, {status: name === "slack" ? 200 : 403, body})
    await expect(call(...unknown)).rejects.toThrow("restricted")
    await expect(call(...unknown)).rejects.toThrow(name === "slack" ? "unknown_method" : "answerNext()")
    expect(platform.known).toContain(known)
    expect(platform.requests.filter(request => /topic|threads|create$/i.test(request.method))).toHaveLength(3)
  })
})

test.each([
  [
    "telegram",
    "42",
    "sendPoll",
    {chat_id: 42, question: "Soup?", options: [{text: "Yes"}, {text: "No"}], is_anonymous: false},
  ],
  [
    "discord",
    "600",
    "createMessage",
    {channel_id: "600", poll: {question: {text: "Soup?"}, answers: ["Yes", "No"].map(text => ({poll_media: {text}}))}},
  ],
] as const)(
  "a poll on the fake of %s counts the votes of people until it is closed",
  async (name, channel, method, params) => {
    const {platform, bot, call, votes} = await open(name)
    await call(method, params)
    const id = platform.sent()[0]?.id ?? ""
    await platform.vote(id, "No")
    await platform.vote(id, "Yes")
    await platform.vote(id, "Yes", {user: "43"})
    await bot.settle()
    expect(votes.at(-1)).toEqual([name === "telegram" ? "poll_answer" : "MESSAGE_POLL_VOTE_ADD", "43"])
    await expect(platform.vote(id, "Maybe")).rejects.toThrow("Yes, No")
    await expect(platform.vote(id, ["Yes", "No"])).rejects.toThrow("one of")
    const [end, at] = name === "telegram" ? ["stopPoll", {chat_id: channel}] : ["endPoll", {channel_id: channel}]
    const closed = JSON.stringify(
      await call(end as string, {...(at as object), message_id: name === "telegram" ? Number(id) : id}),
    )
    expect(closed).toMatch(/"(voter_)?count":2.*"(voter_)?count":0/)
    await expect(platform.vote(id, "Yes")).rejects.toThrow("open poll")
  },
)

test.each(["telegram", "discord"] as const)("a person quotes a message on the fake of %s", async name => {
  const {said, texts} = await open(name)
  const first = await said("hello", {user: "43"})
  await said("who", {quote: first})
  expect(texts()).toEqual(["of 43"])
})

test("a quote on the fake of Slack is an answer in the thread of the message", async () => {
  const {said, platform} = await open("slack")
  const first = await said("hello")
  await said("who", {quote: first})
  expect(platform.requests.find(({method}) => method === "chat.postMessage")?.body.thread_ts).toBe(first)
})
