import {describe, expect, test} from "vitest"
import {bunAnd, expectProblem, shared, startHost, type TestHost, until, untilPrinted} from "../../support/host/host.ts"
import {fullAndDemo} from "../../support/host/tokens.ts"
import {messageIn, tell} from "../../support/messages/messages.ts"
import {askSatori, connectSatori, keepAlive, untilLoggedIn, upgrade} from "../../support/satori/satori.ts"

const {env} = fullAndDemo
const config = fullAndDemo.config()

const online = async (host: TestHost) => {
  await untilLoggedIn(host)
  return host
}

/** Sends messages in the sandbox until it is stopped. Resolves to the number of stored messages. */
const keepTelling = (host: TestHost) => {
  let isStopped = false
  let count = 0
  const done = (async () => {
    while (!isStopped) {
      await Promise.all([1, 2, 3, 4].map(() => tell(host, {text: `message ${++count}`, group: true})))
    }
    return count
  })()
  return {
    count: () => count,
    stop: () => {
      isStopped = true
      return done
    },
  }
}

const onward = (from: number, to: number) => Array.from({length: to - from}, (_, n) => from + n + 1)

describe.each(bunAnd("node24"))("the Satori server on $name", runtime => {
  const start = async (own = false) => online(await startHost({runtime, config, env, own}))
  const common = shared(start)

  test("sends READY with logins in the standard's words and the first drafts', and answers PING", async () => {
    const host = common()
    const client = await connectSatori(host)
    const {body} = await client.hears(4)
    const login = {
      sn: expect.any(Number),
      adapter: "sandbox",
      platform: "sandbox",
      user: {id: "bot", name: "bot", is_bot: true},
      self_id: "bot",
      status: 1,
      features: expect.arrayContaining(["message.create", "reaction.create"]),
    }
    expect(body).toEqual({logins: [login], proxy_urls: []})
    client.say({op: 1, body: {}})
    expect((await client.hears(2)).body).toEqual({})
    expect(await (await host.fetch("/satori/v1/meta", {method: "POST"})).json()).toEqual(body)
  })

  test("sends an event as it was stored, with its login in both forms", async () => {
    const host = common()
    const client = await connectSatori(host)
    await client.hears(4)
    const sn = await tell(host, {text: "hello <b>", channel: "lounge", user: "alice", group: true, id: "m1"})
    const [event] = await client.hearsMessages(1)
    expect(event).toEqual({
      sn,
      id: sn,
      type: "message-created",
      timestamp: expect.any(Number),
      login: {sn: expect.any(Number), platform: "sandbox", user: {id: "bot", name: "bot", is_bot: true}},
      platform: "sandbox",
      self_id: "bot",
      channel: {id: "lounge", type: 0},
      guild: {id: "sandbox", name: "Sandbox"},
      user: {id: "alice", name: "alice"},
      message: {id: "m1", content: "hello &lt;b&gt;"},
    })
  })

  test("answers an upgrade with 401, 403 or 404, or waits for IDENTIFY when it has no token", async () => {
    const host = common()
    const {status, text} = await upgrade(host, "/satori/v1/events", "Bearer wrong")
    expect({status, text}).toEqual({status: 401, text: expect.stringContaining('"code":"unauthorized"')})
    expect((await upgrade(host, "/satori/v1/events", `Bearer ${env.DEMO_TOKEN}`)).status).toBe(403)
    expect((await upgrade(host, "/api/events", `Bearer ${env.HTTP_TOKEN}`)).status).toBe(404)
    const admitted = await connectSatori(host, {headers: {authorization: `Bearer ${env.HTTP_TOKEN}`}, identify: false})
    admitted.say({op: 3, body: {}})
    await admitted.hears(4)
    await expectProblem(await host.fetch("/satori/v1/events"), 426, "upgrade_required")
  })

  test("closes with 4003 or 4004 at a wrong IDENTIFY, and with 4000 at an invalid or second one", async () => {
    const host = common()
    const codeAfter = async (text: string, identify: false | {token?: string} = false) => {
      const client = await connectSatori(host, {identify})
      client.sayText(text)
      return client.closeCode()
    }
    const identify = (token: unknown, sn?: unknown) => JSON.stringify({op: 3, body: {token, sn}})
    expect(await codeAfter(identify("wrong"))).toBe(4004)
    expect(await codeAfter(identify(undefined))).toBe(4004)
    expect(await codeAfter(identify(env.DEMO_TOKEN))).toBe(4003)
    expect(await codeAfter(identify(env.HTTP_TOKEN), {})).toBe(4000)
    for (const text of [
      "",
      "hello",
      "[]",
      "{}",
      identify(7),
      identify(env.HTTP_TOKEN, -1),
      identify(env.HTTP_TOKEN, "1"),
    ])
      expect(await codeAfter(text)).toBe(4000)
    const other = await connectSatori(host)
    other.say({op: 99, body: {}})
    other.say({op: 1})
    await other.hears(2)
  })

  test("resumes a client by sn, in order, without a hole or a repetition", async () => {
    const host = await start()
    for (let n = 1; n <= 20; n++) await tell(host, {text: `before ${n}`, group: true})
    const told = keepTelling(host)
    const clients = await Promise.all([0, 1, 7, 19, 20].map(sn => connectSatori(host, {identify: {sn}})))
    await until("more messages", () => told.count() > 100)
    const late = await connectSatori(host, {identify: {sn: 3}})
    for (const client of [...clients, late]) keepAlive(() => client.say({op: 1}))
    await until("more messages", () => told.count() > 200)
    const last = 20 + (await told.stop())
    for (const [index, from] of [0, 1, 7, 19, 20].entries())
      expect((await clients[index]?.hearsMessages(last - from))?.map(({sn}) => sn)).toEqual(onward(from, last))
    expect((await late.hearsMessages(last - 3)).map(({sn}) => sn)).toEqual(onward(3, last))
  })

  test("resumes across kill -9 and a new start; without an sn a client starts with new events", async () => {
    const host = await start(true)
    await tell(host, {text: "before", group: true})
    const first = await connectSatori(host)
    await first.hears(0)
    expect(first.sn()).toBe(1)
    expect(first.messages()).toEqual([])
    for (let n = 0; n < 5; n++) await tell(host, {text: "seen", group: true})
    const seen = await first.hearsMessages(5)
    first.close()
    for (let n = 0; n < 30; n++)
      await Promise.all(Array.from({length: 10}, () => tell(host, {text: "missed", group: true})))
    await host.stop("SIGKILL")
    const next = await startHost({own: true, runtime, project: host.project, env})
    const resumed = await connectSatori(next, {identify: {sn: seen.at(-1)?.sn ?? 0}})
    await resumed.hears(4)
    await tell(next, {text: "after", group: true})
    expect((await resumed.hearsMessages(301)).map(({sn}) => sn)).toEqual(onward(6, 307))
    const ahead = await connectSatori(next, {identify: {sn: 10_000}})
    await ahead.hears(0)
    expect(ahead.sn()).toBe(307)
    await tell(next, {text: "new", group: true})
    expect((await ahead.hearsMessages(1)).map(({sn}) => sn)).toEqual([308])
    await untilPrinted(next.process, "after 10000; the newest is 307")
  })

  test("answers message.create with the outbox id once the message is durable, and sends it unchanged", async () => {
    const host = common()
    const answer = await askSatori(host, "message.create", {
      channel_id: "lounge",
      content: "hi <b>you</b> &lt;3",
      referrer: {a: 1},
    })
    expect(answer.status).toBe(200)
    const [message] = (await answer.json()) as {id: string; content: string}[]
    expect(message).toMatchObject({content: "hi <b>you</b> &lt;3", created_at: expect.any(Number)})
    expect(await messageIn(host, message?.id ?? "", "sent")).toMatchObject({
      endpoint: "sandbox",
      channel: "lounge",
      content: ["hi ", {type: "b", attrs: {}, children: ["you"]}, " <3"],
    })
    const legacy = await askSatori(host, "login.get", {}, {"x-platform": "sandbox", "x-self-id": "bot"})
    expect(await legacy.json()).toMatchObject({platform: "sandbox", user: {id: "bot"}, status: 1})
  })

  test("answers methods from observed data, and others with 404, 501, 400, 401, 403 or 405", async () => {
    const host = await start()
    await tell(host, {text: "hello", channel: "lounge", user: "alice", group: true, id: "m1"})
    await tell(host, {text: "psst", channel: "alone", user: "alice"})
    const ask = async (method: string, body: unknown) => (await askSatori(host, method, body)).json()
    expect(await ask("channel.get", {channel_id: "lounge"})).toEqual({id: "lounge", type: 0})
    expect(await ask("user.get", {user_id: "alice"})).toEqual({id: "alice", name: "alice"})
    expect(await ask("user.channel.create", {user_id: "alice"})).toEqual({id: "@alice", type: 1})
    expect(await ask("message.get", {channel_id: "lounge", message_id: "m1"})).toMatchObject({
      id: "m1",
      content: "hello",
      user: {id: "alice"},
    })
    expect(await ask("reaction.create", {channel_id: "lounge", message_id: "m1", emoji_id: "👍"})).toEqual({})
    await until("the reaction to be sent", async () => {
      const {items} = await host.get("/api/outbox")
      return items.some(({kind, state, text}) => kind === "reaction" && state === "sent" && text === "👍")
    })
    await expectProblem(await askSatori(host, "channel.get", {channel_id: "elsewhere"}), 404, "not_found")
    await expectProblem(await askSatori(host, "message.get", {channel_id: "alone", message_id: "m1"}), 404, "not_found")
    await expectProblem(await askSatori(host, "friend.list"), 501, "not_implemented")
    await expectProblem(await askSatori(host, "tea.make"), 404, "not_found")
    await expectProblem(await askSatori(host, "message.create", {channel_id: "lounge"}), 400, "request_invalid")
    await expectProblem(await askSatori(host, "login.get", {}, {}), 400, "request_invalid")
    const stranger = {"satori-platform": "sandbox", "satori-user-id": "nobody"}
    await expectProblem(await askSatori(host, "login.get", {}, stranger), 403, "login_unknown")
    await expectProblem(await askSatori(host, "login.get", {}, {authorization: "Bearer wrong"}), 401, "unauthorized")
    await expectProblem(
      await askSatori(host, "meta", {}, {authorization: `Bearer ${env.DEMO_TOKEN}`}),
      403,
      "forbidden",
    )
    await expectProblem(await host.fetch("/satori/v1/login.get"), 405, "method_not_allowed")
  })

  test("closes with 1009 at a message over 1 MiB, and with 1001 when the Host ends", async () => {
    const host = await start()
    const verbose = await connectSatori(host)
    await verbose.hears(4)
    verbose.sayText(JSON.stringify({op: 99, body: "x".repeat(1024 * 1024)}))
    expect(await verbose.closeCode()).toBe(1009)
    const client = await connectSatori(host)
    await client.hears(4)
    const stopped = host.stop()
    expect(await client.closeCode()).toBe(1001)
    expect((await stopped).code).toBe(0)
  })
})
