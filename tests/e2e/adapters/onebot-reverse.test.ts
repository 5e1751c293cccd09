import {connect} from "node:net"
import {expect, test} from "vitest"
import {gapsOf, pluginWith, posting, svc, type TestHost, until, usuallyOn} from "../../support/host/host.ts"
import {startOneBotHost, untilAnswered, untilOneBot} from "../../support/platforms/onebot/host.ts"
import {
  firstBot,
  group,
  groupMessage,
  type OneBotFake,
  startOneBot,
  token,
} from "../../support/platforms/onebot/onebot.ts"

const runtime = usuallyOn("node22")

const env = {ONEBOT_TOKEN: token}
const secondBot = 10002000
const account = (id: string, selfId: number, more: object = {}) => ({
  id,
  reverse: {selfId},
  accessToken: "${ONEBOT_TOKEN}",
  ...more,
})

const bot = pluginWith(`
    plugin.command("who", {description: "Says which bot it is"}, ({session}) => session.endpoint)`)

const start = (...endpoints: readonly object[]): Promise<TestHost> => startOneBotHost(bot, endpoints, {runtime, env})

const hookOf = (host: TestHost, id: string) => `${host.url}/hooks/onebot/onebot~${id}`

/** The answer to an implementation that connects with these headers. */
const statusOf = (hook: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    const {port, pathname} = new URL(hook)
    const usual = {host: "a", connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13"}
    const all = {...usual, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", ...headers}
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write(`GET ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n`),
    )
    socket.once("data", chunk => {
      socket.destroy()
      resolve(Number(chunk.toString("latin1").slice(9, 12)))
    })
    socket.once("error", reject)
  })

/** Waits until the endpoint's newest gap has ended with this backfill result. */
const untilFilled = (host: TestHost, id: string, how: "filled" | "partly") =>
  until(`a gap of onebot~${id} to be ${how}`, async () =>
    (await gapsOf(host)).find(({endpoint, backfill}) => endpoint === `onebot~${id}` && backfill === how),
  )

test("two bots connect to one Host, over one WebSocket and over two, reconnect, and fill their gaps", async () => {
  const [one, two] = [await startOneBot(), await startOneBot(secondBot)]
  const host = await start(account("one", firstBot, {history: true}), account("two", secondBot, {history: true}))
  one.answers.set("get_group_msg_history", {status: "failed", retcode: 1404, data: null})
  await untilOneBot(host, "one", "connecting")
  one.reverse(hookOf(host, "one"))
  two.reverse(hookOf(host, "two"), {roles: ["API", "Event"]})
  for (const id of ["one", "two"]) await untilOneBot(host, id, "online")
  one.report(groupMessage("!who", 1))
  two.report(groupMessage("!who", 1))
  const said = async (fake: OneBotFake, count: number) =>
    JSON.stringify((await untilAnswered(fake, count)).at(-1)?.params)
  expect(await said(one, 1)).toContain("onebot~one")
  expect(await said(two, 1)).toContain("onebot~two")
  const status = {online: false, good: true}
  one.answers.set("get_status", {status: "ok", retcode: 0, data: status})
  one.report({post_type: "meta_event", meta_event_type: "heartbeat", status, interval: 5000})
  await until("the endpoint to report the lost login", async () => {
    const {error} = await untilOneBot(host, "one", "reconnecting")
    return /\blogin|logged in/.test(error ?? "")
  })
  one.answers.delete("get_status")
  two.cut()
  // Data written to a closing WebSocket is lost.
  two.report(groupMessage("!who missed", 2))
  for (const id of ["one", "two"]) await untilOneBot(host, id, "online")
  await untilAnswered(two, 2)
  two.report(groupMessage("!who", 3))
  await untilAnswered(two, 3)
  expect(await untilFilled(host, "one", "partly")).toMatchObject({to: expect.any(String)})
  expect(await untilFilled(host, "two", "filled")).toMatchObject({to: expect.any(String)})
  const {stdout} = await svc(runtime, host.project, ["adapter", "check", "onebot~one"], {env})
  expect(stdout).toMatch(/\bconnects\b/)
})

test("only the endpoint's bot may connect, once, with the token and a valid role", async () => {
  const host = await start(
    account("one", firstBot),
    {...account("both", firstBot), url: "ws://127.0.0.1:1"},
    {id: "neither", accessToken: "${ONEBOT_TOKEN}"},
    {id: "open", reverse: {selfId: firstBot}},
  )
  for (const id of ["both", "neither", "open"])
    expect((await untilOneBot(host, id, "failed")).remediation).toMatch(/reverse|accessToken/)
  await untilOneBot(host, "one", "connecting")
  const usual = {authorization: `Bearer ${token}`, "x-self-id": String(firstBot), "x-client-role": "Universal"}
  const attempt = (headers: Record<string, string>) => statusOf(hookOf(host, "one"), headers)
  const {authorization: _, ...anonymous} = usual
  expect(await attempt(anonymous)).toBe(401)
  expect(await attempt({...usual, authorization: "Bearer wrong"})).toBe(403)
  expect(await attempt({...usual, authorization: `Bearer ${host.token}`})).toBe(401)
  expect(await attempt({...usual, "x-self-id": String(secondBot)})).toBe(403)
  expect(await attempt({...usual, "x-client-role": "Other"})).toBe(400)
  const fake = await startOneBot()
  fake.reverse(hookOf(host, "one"))
  await untilOneBot(host, "one", "online")
  expect(await attempt(usual)).toBe(409)
  await until("the log line about the second connection", () => host.process.output().includes("second connection"))
  expect(host.process.output()).toContain(`the bot ${secondBot}`)
  expect(fake.connections()).toBe(1)
  expect(host.process.output()).not.toContain(token)
})

test("mentions, quotes, files, notices and requests arrive, and the bot answers a request", async () => {
  const fake = await startOneBot()
  const host = await start(account("one", firstBot))
  fake.reverse(hookOf(host, "one"))
  await untilOneBot(host, "one", "online")
  const segments = [
    {type: "reply", data: {id: "7"}},
    {type: "at", data: {qq: String(firstBot)}},
    {type: "text", data: {text: " look "}},
    {type: "image", data: {file: "a.png", url: "https://example.org/a.png"}},
  ]
  fake.report(groupMessage(segments, 1))
  const notice = {post_type: "notice", group_id: group, user_id: 42}
  fake.report({...notice, notice_type: "group_increase", sub_type: "approve", operator_id: 43})
  fake.report({...notice, notice_type: "group_recall", message_id: 1, operator_id: 43})
  const request = {post_type: "request", user_id: 44, comment: "let me in", flag: "flag-9"}
  fake.report({...request, request_type: "group", sub_type: "add", group_id: group})
  const events = await until("four events", async () => {
    const {items} = await host.get("/api/inbox", {limit: 50})
    return items.length === 4 && items.map(({event}) => event).reverse()
  })
  expect(events).toMatchObject([
    {
      type: "message-created",
      message: {
        content: `<quote id="7"/><at id="${firstBot}"/> look <img src="https://example.org/a.png" title="a.png"/>`,
      },
    },
    {type: "guild-member-added", user: {id: "42"}, guild: {id: String(group)}},
    {type: "message-deleted", message: {id: "1"}, user: {id: "43"}},
    {type: "guild-member-request", user: {id: "44"}, message: {id: "flag-9", content: "let me in"}},
  ])
  const answer = await host.fetch(
    "/satori/v1/guild.member.approve",
    posting({message_id: "flag-9", approve: true}, {"satori-platform": "onebot", "satori-user-id": String(firstBot)}),
  )
  expect(answer.status).toBe(200)
  const asked = fake.asked.find(({action}) => action === "set_group_add_request")
  expect(asked?.params).toEqual({flag: "flag-9", sub_type: "add", approve: true, reason: ""})
})
