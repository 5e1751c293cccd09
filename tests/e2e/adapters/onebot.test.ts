import {expect, test} from "vitest"
import {eventsOf, messageIn, sendTo, svc, type TestHost, until, usuallyOn} from "../../support/host/host.ts"
import {startOneBotHost, untilAnswered, untilOneBot} from "../../support/platforms/onebot/host.ts"
import {
  firstBot,
  group,
  groupMessage,
  postEvent,
  postSecret,
  startOneBot,
  token,
} from "../../support/platforms/onebot/onebot.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const runtime = usuallyOn("node24")

const bot = pluginWith(`
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args, session}) => [h("at", {id: session.user.id}), " [CQ:face,id=1] " + args.name])`)

const env = {ONEBOT_TOKEN: token, ONEBOT_SECRET: postSecret, WRONG_TOKEN: "a-wrong-token"}
const account = (id: string, url: string, more: object = {}) => ({id, url, accessToken: "${ONEBOT_TOKEN}", ...more})

const start = (...endpoints: readonly object[]): Promise<TestHost> => startOneBotHost(bot, endpoints, {runtime, env})

const stored = (host: TestHost, id: string) => eventsOf(host, `onebot~${id}`)

test("accounts connected over WebSocket and over HTTP each answer in their own format", async () => {
  const [one, two] = [await startOneBot(), await startOneBot()]
  const host = await start(
    account("socket", one.wsUrl),
    account("posts", two.url, {secret: "${ONEBOT_SECRET}", format: "string"}),
  )
  await untilOneBot(host, "socket", "online")
  await untilOneBot(host, "posts", "online")
  one.report(groupMessage("!greet Ann", 1))
  const [first] = await untilAnswered(one, 1)
  expect(first?.params).toMatchObject({
    group_id: group,
    message: [
      {type: "at", data: {qq: "42"}},
      {type: "text", data: {text: " [CQ:face,id=1] Ann"}},
    ],
  })
  const hook = `${host.url}/hooks/onebot/onebot~posts`
  expect((await postEvent(hook, groupMessage("!greet Bob", 1))).status).toBe(204)
  const [second] = await untilAnswered(two, 1)
  expect(second?.params.message).toBe("[CQ:at,qq=42] &#91;CQ:face,id=1&#93; Bob")
  expect((await postEvent(hook, groupMessage("!greet Eve", 2), "another secret")).status).toBe(403)
  expect((await postEvent(hook, {...groupMessage("!greet Eve", 3), self_id: 7})).status).toBe(204)
  expect((await host.fetch("/hooks/onebot/onebot~posts")).status).toBe(405)
  expect((await postEvent(hook, {...groupMessage("!greet Eve", 4), message_id: null})).status).toBe(400)
  const poke = {post_type: "notice", notice_type: "notify", sub_type: "poke", group_id: group, user_id: 42, time: 0}
  for (const _ of [1, 2]) expect((await postEvent(hook, poke)).status).toBe(204)
  expect((await stored(host, "posts")).map(({type}) => type)).toEqual(["message-created", "internal"])
})

test("malformed data from the implementation blocks nothing", async () => {
  const fake = await startOneBot()
  const host = await start(account("one", fake.wsUrl))
  await untilOneBot(host, "one", "online")
  for (const junk of [
    '{"post_type":',
    "[]",
    "null",
    "7",
    '{"echo":"unknown"}',
    '{"post_type":7}',
    '{"post_type":"new"}',
  ])
    fake.send(junk)
  fake.report(groupMessage({type: {}, data: 7}, 1))
  fake.report(groupMessage("x".repeat(900_000), 2))
  fake.report({
    post_type: "notice",
    notice_type: "group_ban",
    sub_type: "ban",
    group_id: group,
    user_id: 42,
    duration: 60,
  })
  fake.report(groupMessage("last", 3))
  const events = await until("4 events", async () => {
    const events = await stored(host, "one")
    return events.length >= 4 && events
  })
  expect(events.map(({type}) => type)).toEqual(["message-created", "message-created", "internal", "message-created"])
  expect(events[1]?.message?.content).toHaveLength(900_000)
  expect(events[3]?.message?.content).toBe("last")
})

test("a heartbeat that reports offline ends the connection, and the endpoint waits for the login", async () => {
  const fake = await startOneBot()
  const host = await start(account("one", fake.wsUrl))
  await untilOneBot(host, "one", "online")
  fake.answers.set("get_status", {status: "ok", retcode: 0, data: {online: false, good: true}})
  fake.report({
    post_type: "meta_event",
    meta_event_type: "heartbeat",
    status: {online: false, good: true},
    interval: 5000,
  })
  expect((await untilOneBot(host, "one", "reconnecting")).error).toMatch(/\blogin|logged in/)
  fake.answers.delete("get_status")
  await untilOneBot(host, "one", "online")
})

test("missing heartbeats end the connection", async () => {
  const fake = await startOneBot()
  const host = await start(account("one", fake.wsUrl))
  await untilOneBot(host, "one", "online")
  fake.report({
    post_type: "meta_event",
    meta_event_type: "heartbeat",
    status: {online: true, good: true},
    interval: 1000,
  })
  await untilOneBot(host, "one", "reconnecting")
  await untilOneBot(host, "one", "online")
})

test("a message fails if the implementation rejects it, and is retried if it may succeed later", async () => {
  const fake = await startOneBot()
  const host = await start(account("one", fake.wsUrl))
  await untilOneBot(host, "one", "online")
  const send = (channel: string) => sendTo(host, "onebot~one", channel, "hi")
  await messageIn(host, await send("no-number"), "failed")
  fake.answers.set("send_msg", {status: "failed", retcode: 1400, data: null})
  await messageIn(host, await send(String(group)), "failed")
  fake.answers.set("send_msg", {status: "failed", retcode: 120, wording: "the bot is muted", data: null})
  const id = await send(String(group))
  await until("an attempt", () => fake.asked.filter(({action}) => action === "send_msg").length >= 2)
  fake.answers.delete("send_msg")
  await messageIn(host, id, "sent")
})

test("svc adapter check names the bot, a rejected token, and posts without a secret", async () => {
  const fake = await startOneBot()
  const host = await start(account("one", fake.wsUrl), account("posts", fake.url), {
    ...account("wrong", fake.wsUrl),
    accessToken: "${WRONG_TOKEN}",
  })
  await untilOneBot(host, "one", "online")
  await untilOneBot(host, "wrong", "failed")
  const check = (id: string) => svc(runtime, host.project, ["adapter", "check", `onebot~${id}`], {env})
  expect(await check("one")).toMatchObject({code: 0, stdout: expect.stringContaining(`logged in as bot (${firstBot})`)})
  expect(await check("posts")).toMatchObject({code: 1, stdout: expect.stringContaining("events over HTTP")})
  expect(await check("wrong")).toMatchObject({code: 1, stdout: expect.stringContaining("accessToken")})
  expect(host.process.output()).not.toContain("a-wrong-token")
})
