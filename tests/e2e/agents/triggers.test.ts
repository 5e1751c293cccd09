import {describe, expect, test} from "vitest"
import {runAsked, runsOf} from "../../support/agents/host.ts"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunOr, eventOf, shared, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {answer} from "../../support/messages/answers.ts"
import {botTexts, tell} from "../../support/messages/messages.ts"
import {pluginWith, robo} from "../../support/plugins/plugin-sources.ts"
import {deliver, secretOf} from "../../support/webhooks/webhooks.ts"

/** A platform with mentions, a tool that returns its caller, a question, and a route that runs an agent. */
const toolbox = pluginWith(`${robo}
    plugin.tool("whoami", {description: "Who asks", parameters: Type.Object({}), effect: "none", permission: "trusted"}, call =>
      ({user: call.user?.id ?? "nobody", permission: call.permission}))
    plugin.on("message-created", async session => {
      if (session.text === "ask my name") await session.prompt(name, "Your name?")
    })
    const name = plugin.prompt("name", ({answer}) => "Hello " + answer)
    plugin.route({method: "POST", path: "/ask", scope: "full", summary: "Ask", body: Type.Object({input: Type.String(), key: Type.String()}),
      handle: async (_, call) => Response.json({runId: await plugin.agent("helper").run(call.body.input, {key: call.body.key})})})
    plugin.route({method: "GET", path: "/result/:id", scope: "full", summary: "Result",
      handle: async (_, call) => Response.json(await plugin.agent("helper").result(call.params.id))})`)

const secret = secretOf("agents")

const binding = (url: string) => `provider: openai-compatible
    model: any
    baseURL: ${url}
    instructions: You help.
    tools: {toolbox.whoami: {}}`

const config = (url: string) => `http: {port: 0}
permissions:
  - {endpoint: sandbox, user: ada, permission: trusted}
plugins:
  sandbox: {}
  toolbox: {}
  webhook: {endpoints: [{id: shop, secrets: ["\${SHOP_SECRET}"]}]}
agents:
  helper:
    ${binding(url)}
    permission: trusted
    triggers: {direct: true, mention: true, command: ask, events: [{endpoint: webhook~shop}, {endpoint: webhook~shop, type: internal}]}
  expert:
    ${binding(url)}
    triggers: {command: expert, permission: trusted}
`

/** Starts a Host whose model calls `toolbox.whoami` for a question with "who", and otherwise echoes it. */
const start = async (runtime: Parameters<typeof startHost>[0]): Promise<TestHost> => {
  const model = await startScriptedModel(({last, results}) => {
    if (last.role === "user" && last.text.includes("who")) return {calls: [{name: "toolbox.whoami"}]}
    return {text: results > 0 ? `told ${last.text}` : `re: ${last.text}`}
  })
  return startHost({...runtime, config: config(model.url), plugins: {toolbox}, env: {SHOP_SECRET: secret}})
}

describe.each(bunOr("node24"))("agent runs on $name", runtime => {
  const host = shared(() => start({runtime}))
  let count = 0

  /** The trigger and the agent of the run that this event started, or "none". */
  const outcome = async (sn: number) => {
    await eventOf(host(), sn)
    // A run that works hears the next message.
    const runs = await until("the runs to end", async () => {
      const all = await runsOf(host())
      return all.every(({state}) => state === "succeeded" || state === "failed") && all
    })
    const run = runs.find(({event}) => event === sn)
    return run === undefined ? "none" : `${run.trigger} of ${run.agent}`
  }
  const say = async (text: string, how: {user?: string; group?: boolean; channel?: string} = {}) =>
    await tell(host(), {text, user: "ada", ...how})
  const wire = async (content: string, user: object = {id: "eve"}) => {
    const event = {type: "message-created", channel: {id: "c", type: 0}, user, message: {id: `m${++count}`, content}}
    return (await host().plugin<{sn: number}>("/api/plugins/toolbox/wire", {id: `e${count}`, ...event})).sn
  }

  test.each([
    ["hello there", {}, "direct of helper"],
    ["bot: hello group", {group: true}, "mention of helper"],
    ["@Bot, hello group", {group: true}, "mention of helper"],
    ["hello group", {group: true}, "none"],
    ["robot: hello", {group: true}, "none"],
    ["/ask hello command", {group: true}, "command of helper"],
    ["/aks hello", {}, "none"],
    ["/aks hello", {group: true}, "none"],
    ["/help", {}, "none"],
    ["ask hello", {}, "command of helper"],
  ] as const)("start in the sandbox from %j with %j: %s", async (text, how, expected) => {
    expect(await outcome(await say(text, how))).toBe(expected)
  })

  test.each([
    ['<at id="b7"/> what now', {id: "eve"}, "mention of helper"],
    ['<p>what now <b><at id="b7"/></b></p>', {id: "eve"}, "mention of helper"],
    ['<at id="b8"/> what now', {id: "eve"}, "none"],
    ["&lt;at id=&quot;b7&quot;/&gt; what now", {id: "eve"}, "none"],
    ['<at id="b7"/> what now', {id: "other", is_bot: true}, "none"],
    ["Robo: what now", {id: "other", is_bot: true}, "none"],
  ])("start on a platform with mentions from %j by %j: %s", async (content, user, expected) => {
    expect(await outcome(await wire(content, user))).toBe(expected)
  })

  test.each([
    ["too long", "x".repeat(100_001)],
    ["without words", '<img src="https://x.example/i.png"/>'],
  ])("are refused without an error if the question is %s", async (place, content) => {
    const event = {
      type: "message-created",
      channel: {id: place, type: 1},
      user: {id: "eve"},
      message: {id: place, content},
    }
    const {sn} = await host().plugin<{sn: number}>("/api/plugins/toolbox/wire", {id: place, ...event})
    const {marks, replies} = await eventOf(host(), sn)
    expect(marks.map(({state}) => state)).not.toContain("failed")
    expect(await host().get("/api/outbox/:id", {id: replies[0] ?? ""})).toMatchObject({
      text: answer("agent.length", {agent: "helper", limit: 100_000}),
    })
  })

  test("do not start from a mistyped command, from help, or from an answer to a question", async () => {
    expect(await host().say("/expertt hello", {user: "ada"})).toEqual([
      expect.stringContaining("Did you mean /expert?"),
    ])
    expect((await host().say("/help", {user: "ada"})).join()).toMatch(/ask <question\.\.\.>: Ask the agent helper/)
    await host().say("ask my name", {user: "zoe", channel: "names"})
    const sn = await say("Zoe", {user: "zoe", channel: "names"})
    expect(await outcome(sn)).toBe("none")
    const {replies} = await eventOf(host(), sn)
    expect((await host().get("/api/outbox/:id", {id: replies[0] ?? ""})).text).toBe("Hello Zoe")
  })

  test("are refused to users without permission, and a tool receives the permission that counts", async () => {
    expect(await host().say("/expert who?", {user: "eve"})).toEqual(["The agent expert needs the permission trusted."])
    for (const [user, allowed] of [
      ["ada", true],
      ["eve", false],
    ] as const) {
      const {uses} = await host().get("/api/permissions/user", {endpoint: "sandbox", user})
      const of = (kind: string) => uses.find(use => use.kind === kind && use.of === "expert")
      expect(of("agent")).toMatchObject({name: "expert", needs: "trusted", allowed})
      expect(of("tool")).toMatchObject({name: "toolbox.whoami", needs: "trusted", allowed})
      expect(of("approval")).toMatchObject({needs: "trusted", allowed})
    }
    expect((await runAskedBy("/expert who am I?", "who am I?", "ada")).answer).toBe(
      'told {"user":"ada","permission":"trusted"}',
    )
    const refused = await runAskedBy("who are you to me?", "who are you to me?", "eve")
    expect(refused.answer).toMatch(/\bpermission trusted\b/)
    expect(refused.trail).toMatchObject([{kind: "model"}, {state: "refused", reason: "tool_denied"}, {kind: "model"}])
  })

  const runAskedBy = async (text: string, input: string, user: string) => {
    await host().say(text, {user, channel: `with-${user}`})
    return runAsked(host(), input)
  }

  test("start from a scheduled job without a user, and answer in the job's channel", async () => {
    const add = ["schedule", "add", "morning", "--cron", "0 8 * * *", "--timezone", "UTC", "--agent", "helper"]
    const to = ["--text", "who is it this morning?", "--endpoint", "sandbox", "--channel", "mornings"]
    const added = await svc(runtime, host().project, [...add, ...to])
    expect({code: added.code, stdout: added.stdout}).toEqual({
      code: 0,
      stdout: expect.stringContaining("agent helper for sandbox mornings"),
    })
    await host().post("/api/jobs/:id/run", {id: "morning"})
    const run = await runAsked(host(), "who is it this morning?")
    expect(run).toMatchObject({trigger: "job", answer: 'told {"user":"nobody","permission":"trusted"}'})
    await until("the answer in its channel", async () =>
      (await botTexts(host(), "mornings")).includes(run.answer ?? ""),
    )
    const edited = host().post("/api/jobs/:id/edit", {id: "morning", body: {target: {agent: "nobody", text: "x"}}})
    await expect(edited).rejects.toThrow(/\btarget: .*\bagent nobody\b/)
  })

  test("start once from a signed webhook without a user, and not from an unsigned one", async () => {
    const hook = `${host().url}/hooks/webhook/webhook~shop`
    const body = JSON.stringify({channel: "orders", user: "ada", text: "who has ordered this?"})
    const send = (key: string) => deliver(hook, body, {id: "delivery-1", secret: key})
    expect((await send(secretOf("forged"))).status).toBe(403)
    for (const _ of [1, 2]) expect((await send(secret)).status).toBeLessThan(300)
    const run = await runAsked(host(), "who has ordered this?")
    expect(run).toMatchObject({trigger: "event", answer: 'told {"user":"nobody","permission":"trusted"}'})
    expect((await runsOf(host())).filter(({trigger}) => trigger === "event")).toHaveLength(1)
    const order = JSON.stringify({type: "order.paid", number: 7})
    expect((await deliver(hook, order, {id: "delivery-2", secret})).status).toBeLessThan(300)
    expect((await runAsked(host(), order)).answer).toBe(`re: ${order}`)
  })

  test("start once for each key that a plugin passes, and return their result", async () => {
    const ask = () => host().plugin<{runId: string}>("/api/plugins/toolbox/ask", {input: "from a plugin", key: "k1"})
    const {runId} = await ask()
    expect((await ask()).runId).toBe(runId)
    await runAsked(host(), "from a plugin")
    expect(await host().plugin(`/api/plugins/toolbox/result/${runId}`)).toEqual({
      state: "succeeded",
      answer: "re: from a plugin",
      reason: null,
    })
    const other = (await runsOf(host()))[0]?.runId ?? ""
    await expect(host().plugin(`/api/plugins/toolbox/result/${other}`)).rejects.toThrow("agent_run_unknown")
  })
})
