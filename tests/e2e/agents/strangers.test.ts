import {describe, expect, test} from "vitest"
import {helperAt, type ScriptedModel, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {
  bunOr,
  eventOf,
  expectProblem,
  messageIn,
  pluginWith,
  posting,
  shared,
  startHost,
  svc,
  type TestHost,
  type TestRuntime,
  until,
} from "../../support/host/host.ts"
import {answer} from "../../support/messages/answers.ts"
import {botMessages} from "../../support/messages/messages.ts"

/** A stand-in for a platform that ignores case in ids. A route receives many events. */
const wire = pluginWith(`
    const opened = Promise.withResolvers<any>()
    plugin.adapter("wire", {
      history: "inside", idempotent: true, ignoresCase: true, features: ["buttons"],
      open: async (_, endpoint) => {
        endpoint.login({platform: "wire", user: {id: "b7", name: "Robo", is_bot: true}, status: 1})
        opened.resolve(endpoint)
        return {send: async message => ({ids: ["p" + message.id]})}
      },
    })
    plugin.route({method: "POST", path: "/wire", scope: "full", summary: "Receive", body: Type.Array(Type.Any()),
      handle: async (_, call) => {
        const endpoint = await opened.promise
        return Response.json(await Promise.all(call.body.map(event => endpoint.receive(event))), {status: 202})
      }})`)

const config = (url: string) => `http: {port: 0}
permissions: [{endpoint: sandbox, user: boss, permission: admin}]
plugins: {sandbox: {}, wire: {}}
agents:
${helperAt(url)}    triggers: {direct: true, mention: true}
  expert:
    provider: openai-compatible
    model: scripted
    baseURL: ${url}
    instructions: You know.
    triggers: {command: expert, pairing: true}
    approval: {to: {endpoint: sandbox, channel: desk}}
`

interface World {
  readonly host: TestHost
  readonly model: ScriptedModel
}

const start = async (runtime: TestRuntime): Promise<World> => {
  const model = await startScriptedModel([{text: "Hello.", usage: {input: 20, output: 4000}}])
  const host = await startHost({runtime, config: config(model.url), plugins: {wire}})
  return {host, model}
}

let count = 0

interface User {
  readonly id: string
  readonly account?: string
}

const message = (user: User, content: string, channel: object) => {
  const id = `m${++count}`
  return {id, type: "message-created", channel, user, message: {id, content}}
}
const directly = (user: User, content: string) => message(user, content, {id: `with-${user.id}`, type: 1})
const inChannel = (user: User, content: string) => message(user, content, {id: "#team", type: 0})

const receive = (host: TestHost, events: readonly object[]) =>
  host.plugin<readonly {sn: number}[]>("/api/plugins/wire/wire", events)

/** The texts with which the Host replied to an event, and the agents that it asked. */
const outcome = async (host: TestHost, event: object) => {
  const [receipt] = await receive(host, [event])
  const {replies} = await eventOf(host, receipt?.sn ?? 0)
  const texts = await Promise.all(replies.map(async id => (await messageIn(host, id, "sent")).text))
  const {items} = await host.get("/api/runs", {kind: "agent", limit: 20})
  return {texts, runs: items.flatMap(run => (run.kind === "agent" && run.event === receipt?.sn ? [run.agent] : []))}
}

const refused = {texts: [answer("agent.member", {agent: "helper"})], runs: []}
const silent = {texts: [], runs: []}
const asked = {texts: [], runs: ["helper"]}

describe.each(bunOr("node24"))("strangers on $name", runtime => {
  const world = shared(() => start(runtime))

  test("get one refusal a minute for direct messages, until they write in a shared channel", async () => {
    const {host, model} = world()
    const eve = {id: "eve"}
    expect(await outcome(host, directly(eve, "hello"))).toEqual(refused)
    expect(await outcome(host, directly(eve, "hello again"))).toEqual(silent)
    expect(model.requests).toHaveLength(0)
    expect(await outcome(host, inChannel(eve, "good morning"))).toEqual(silent)
    expect(await outcome(host, directly({id: "EVE"}, "hello"))).toEqual(asked)
    const forget = await svc(runtime, host.project, ["user", "forget", "wire", "Eve", "--yes"])
    expect(forget.stdout).toMatch(/members +1 membership deleted/)
    expect(await outcome(host, directly({id: "eve"}, "and now?"))).toMatchObject({runs: []})
  })

  test("do not become members by the nick of somebody with an account", async () => {
    const {host} = world()
    await receive(host, [inChannel({id: "ada", account: "ada"}, "hi")])
    expect(await outcome(host, directly({id: "ada"}, "hello"))).toEqual(refused)
    expect(await outcome(host, directly({id: "ada_", account: "ADA"}, "hello"))).toEqual(asked)
  })

  test("get a code, which the CLI approves once, and which then changes nothing", async () => {
    const {host} = world()
    const {texts, runs} = await outcome(host, directly({id: "zoe"}, "/expert hello"))
    const code = /[A-Z]{8}$/.exec(texts[0] ?? "")?.[0] ?? ""
    expect({texts, runs}).toEqual({texts: [answer("agent.code", {code})], runs: []})
    expect(code).toMatch(/^[^BILOQSUV]{8}$/)
    expect(await outcome(host, directly({id: "zoe"}, "/expert hello?"))).toEqual(silent)
    const {items} = await host.get("/api/users/pairings")
    expect(items).toEqual([expect.objectContaining({code, user: "zoe", endpoint: "wire", agent: "expert"})])
    const approve = (typed: string) => svc(runtime, host.project, ["user", "approve", typed])
    await expectProblem(await host.fetch("/api/users/approve", posting({code: "WWWWWWWW"})), 404, "pairing_unknown")
    for (const typed of [code.toLowerCase(), code]) expect(await approve(typed)).toMatchObject({code: 0, stderr: ""})
    const {items: sent} = await host.get("/api/outbox", {channel: "with-zoe"})
    expect(sent.filter(({text}) => text === answer("agent.welcome", {agent: "expert"}))).toHaveLength(1)
    expect((await host.get("/api/users/pairings")).items).toEqual([])
    expect(await outcome(host, directly({id: "zoe"}, "/expert hello!"))).toEqual({texts: [], runs: ["expert"]})
    const {items: events} = await host.get("/api/events/history", {limit: 500})
    expect(events.filter(({type}) => type === "user.approved")).toMatchObject([{endpoint: "wire"}])
  })

  test("are approved by an admin at the desk, and by nobody else", async () => {
    const {host} = world()
    await outcome(host, directly({id: "mia"}, "/expert hello"))
    const question = await until("the question at the desk", async () =>
      (await botMessages(host, "desk")).find(({text}) => text.startsWith("mia at wire")),
    )
    const press = async (user: string) => {
      const said = {channel: "desk", user, group: true, button: "Approve", message: question.id}
      const {sn} = await host.plugin<{sn: number}>("/api/plugins/sandbox/press", said)
      const {replies} = await eventOf(host, sn)
      return Promise.all(replies.map(async id => (await messageIn(host, id, "sent")).text))
    }
    expect(question.text).toMatch(/svc user approve [A-Z]{8}/)
    expect(await press("eve")).toEqual([answer("agent.mayNot", {permission: "admin"})])
    expect(await outcome(host, directly({id: "mia"}, "/expert hello"))).toEqual(silent)
    expect(await press("boss")).toEqual([answer("agent.admitted", {user: "mia"})])
    expect(await outcome(host, directly({id: "mia"}, "/expert hello"))).toEqual({texts: [], runs: ["expert"]})
  })

  test("displace no open code of another: an endpoint has a hundred", async () => {
    const {host} = world()
    const strangers = Array.from({length: 120}, (_, index) => directly({id: `s${index}`}, "/expert hello"))
    await receive(host, strangers)
    const last = await outcome(host, directly({id: "late"}, "/expert hello"))
    expect(last).toEqual({texts: [answer("agent.member", {agent: "expert"})], runs: []})
    expect((await host.get("/api/users/pairings")).items).toHaveLength(100)
  })
})

describe.each(bunOr("node24"))("after a kill on $name", runtime => {
  test("members stay members, a code stays the same, and nobody is asked twice", async () => {
    const model = await startScriptedModel([{text: "Hello."}])
    let host = await startHost({own: true, runtime, config: config(model.url), plugins: {wire}})
    await receive(host, [inChannel({id: "eve"}, "good morning"), directly({id: "zoe"}, "/expert hello")])
    const open = await until("the code", async () => {
      const {items} = await host.get("/api/users/pairings")
      return items.length === 1 && items
    })
    await host.stop("SIGKILL")
    host = await startHost({own: true, runtime, project: host.project})
    const asks = await until("the question at the desk", async () => {
      const {items} = await host.get("/api/outbox", {channel: "desk"})
      return items.length > 0 && items
    })
    expect(asks).toHaveLength(1)
    expect((await host.get("/api/users/pairings")).items).toEqual(open)
    expect(await outcome(host, directly({id: "eve"}, "hello"))).toEqual(asked)
  })
})

/** Messages of 100 users. */
const crowd = (length: number, say: (user: User, content: string) => object, content: string) =>
  Array.from({length}, (_, index) => say({id: `u${index % 100}`}, `${content} ${index}`))

/** Delivers events in parts. Resolves once all are handled, and the runs that they started have ended. */
const deliver = async (host: TestHost, events: readonly object[]) => {
  for (let from = 0; from < events.length; from += 250) await receive(host, events.slice(from, from + 250))
  await until(
    "everything to be handled",
    async () => {
      const {items} = await host.get("/api/inbox", {state: "open", limit: 1})
      const {runs, today} = await host.get("/api/agents/:name", {name: "helper"})
      return items.length === 0 && runs.queued + runs.running === 0 && today
    },
    240_000,
  )
  return (await host.get("/api/agents/:name", {name: "helper"})).today
}

describe.each(bunOr("node24"))("100 strangers with 100 messages each on $name", runtime => {
  test("cost nothing in direct messages, and less than the limit of a day by mentions", async () => {
    const {host, model} = await start(runtime)
    expect(host.process.output()).toMatch(/agent helper: .*user 30 runs, day 2000000 tokens/)
    expect(await deliver(host, crowd(10_000, directly, "hello"))).toMatchObject({runs: 0, tokens: 0})
    expect(model.requests).toHaveLength(0)
    const {items} = await host.get("/api/outbox", {endpoint: "wire", limit: 500})
    // These exhaust the day, so that more of them cost nothing.
    const today = await deliver(host, crowd(2000, inChannel, "Robo: hello"))
    const figures = {refusals: items.length, calls: model.requests.length, runs: today.runs, tokens: today.tokens}
    process.stdout.write(`100 strangers × 100 messages: ${JSON.stringify(figures)}\n`)
    expect(figures.refusals).toBeLessThanOrEqual(200)
    expect(figures.tokens).toBeGreaterThan(1_900_000)
    expect(figures.tokens).toBeLessThanOrEqual(2_000_000)
    expect(figures.calls * 4020).toBe(figures.tokens)
  }, 300_000)
})

/** Two bots at one channel: what one sends, the other receives. The platform does not say that they are bots. */
const mirror = pluginWith(`
    const ends = new Map<string, any>()
    const receive = (me, from, id, content) => ends.get(me).receive({
      id, type: "message-created", channel: {id: "#bots", type: 0}, user: {id: from}, message: {id, content},
    })
    plugin.adapter("bot", {
      history: "inside", idempotent: true, account: Type.Object({}),
      open: async (_, endpoint) => {
        const [me, other] = endpoint.name === "bot~ann" ? ["ann", "ben"] : ["ben", "ann"]
        endpoint.login({platform: "bot", user: {id: me, name: me}, status: 1})
        ends.set(me, endpoint)
        return {send: async message => {
          await receive(other, me, message.id, message.content.join(""))
          return {ids: [message.id]}
        }}
      },
    })
    plugin.route({method: "POST", path: "/begin", scope: "full", summary: "Begin", body: Type.Object({}),
      handle: async () => Response.json(await receive("ann", "ben", "first", "ann: this is ben"), {status: 202})})`)

describe.each(bunOr("node24"))("bots that answer each other on $name", runtime => {
  test("stop after ten answers of each", async () => {
    const model = await startScriptedModel(({last}) => ({
      text: last.text.includes("ben") ? "ben: this is ann" : "ann: this is ben",
    }))
    const host = await startHost({
      runtime,
      config: `http: {port: 0}
plugins: {mirror: {endpoints: [{id: ann}, {id: ben}]}}
agents:
${helperAt(model.url)}    triggers: {mention: true}
`,
      plugins: {mirror},
    })
    await host.plugin("/api/plugins/mirror/begin", {})
    const last = await until("the last message to be handled without an answer", async () => {
      const {items} = await host.get("/api/inbox", {limit: 100})
      return items.length === 21 && (await eventOf(host, items[0]?.seq ?? 0))
    })
    expect(last.replies).toEqual([])
    expect(model.requests).toHaveLength(20)
    expect((await host.get("/api/agents/:name", {name: "helper"})).runs).toMatchObject({succeeded: 20, queued: 0})
  })
})
