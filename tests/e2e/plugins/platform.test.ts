import {describe, expect, test} from "vitest"
import {runAsked} from "../../support/agents/host.ts"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunOr, notesIn, pluginWith, startHost, type TestHost, until} from "../../support/host/host.ts"
import {tell} from "../../support/messages/messages.ts"

/** A platform with its own methods, which notes each call. A call of `stuck` never ends. */
const shop = pluginWith(`
    let waits = 0
    plugin.adapter("shop", {
      history: "inside",
      rate: {messages: 2, per: 1000},
      methods: {name: "shop", reads: ["getOrder"], sets: ["pin"], acts: ["makeOrder"]},
      open: async () => ({
        send: async ({id}) => ({ids: [id]}),
        call: async (method, params: any, signal, id) => {
          note([method, params.n ?? "", id === undefined ? "plain" : "queued"].join(" ").trim())
          if (params.refuse) throw refused("no such order", {reason: "rejected", remediation: "Order it."})
          if (params.wait && waits++ === 0) throw retryAfter(params.wait)
          if (params.stuck && !existsSync(join(plugin.project, "go"))) await new Promise(() => {})
          return {id: "order-" + params.n}
        },
      }),
    })`)

const caller = (declared: string) =>
  pluginWith(`
    const call = async (way: string, method: string, params: any) => {
      try {
        return JSON.stringify(way === "ask" ? await plugin.ask("shop", method, params) : await plugin.callNow("shop", method, params))
      } catch (error: any) {
        return [error.code, error.retryAfter ?? ""].join(" ").trim()
      }
    }
    plugin.command("${declared.startsWith("uses") ? "plain" : "mod"} <way:string> <method:string> [params:text]", async ({args: {way, method, params = "{}"}, session}) => {
      const given = JSON.parse(params)
      if (way !== "queue") return call(way, method, given)
      try {
        await session.call({endpoint: "shop"}, method, given)
        return "queued"
      } catch (error: any) {
        return error.code + " " + error.message
      }
    })
    plugin.tool("order", {description: "Orders", parameters: Type.Object({way: Type.String()}), effect: "none"}, async ({args: {way}}) => {
      await sleep(1)
      if (way === "service") return desk.order()
      return call(way, way === "ask" ? "shop/getOrder" : "shop/makeOrder", {})
    })
    ${declared.startsWith("uses") ? "" : 'plugin.provide("desk", {order: () => call("now", "shop/makeOrder", {})})'}`).replace(
    "setup(plugin) {",
    `${declared}\n  setup(plugin, _config, {desk}: any) {`,
  )

const plugins = {shop, mod: caller("platform: true,"), plain: caller('uses: {desk: {name: "desk"}},')}
const config = `http: {port: 0}
plugins: {sandbox: {}, shop: {}, mod: {}, plain: {}}
`

const say = async (host: TestHost, text: string) => (await host.say(text)).at(-1)

describe.each(bunOr("node24"))("a platform's own methods on $name", runtime => {
  test("are queued, asked and called now by a plugin that declares platform, and by no other", async () => {
    const host = await startHost({runtime, config, plugins})
    expect(await say(host, '/mod queue shop/pin {"n":1}')).toBe("queued")
    await until("the call", () => notesIn(host.project).includes("shop/pin 1 queued"))
    expect(await say(host, '/mod ask shop/getOrder {"n":2}')).toBe('{"id":"order-2"}')
    expect(await say(host, '/mod now shop/makeOrder {"n":3}')).toBe('{"id":"order-3"}')
    expect(await say(host, '/mod now shop/makeOrder {"refuse":true}')).toBe("platform_failed")
    const before = notesIn(host.project)
    expect(await say(host, "/mod queue shop/pim")).toMatch(/^unsupported .*shop\/pin/)
    expect(await say(host, "/mod queue telegram/pinChatMessage")).toMatch(/^unsupported .*shop\//)
    expect(await say(host, "/mod queue shop/getOrder")).toMatch(/^request_invalid .*plugin\.ask/)
    expect(await say(host, "/mod ask shop/makeOrder")).toBe("request_invalid")
    expect(await say(host, "/mod now shop/getOrder")).toBe("request_invalid")
    expect(await say(host, "/plain queue shop/pin")).toMatch(/^request_invalid .*platform/)
    expect(await say(host, "/plain now shop/makeOrder")).toBe("request_invalid")
    expect(await say(host, "/plain ask shop/getOrder")).toBe("request_invalid")
    expect(notesIn(host.project)).toEqual(before)
    const {capabilities} = (await host.get("/api/plugins")).items.find(({name}) => name === "mod") ?? {}
    expect(capabilities).toContainEqual({id: "root/mod/access/platform", kind: "access", name: "platform"})
  })

  test("keep the endpoint's pace, and wait for as long as the platform asks if there is time", async () => {
    const host = await startHost({runtime, config, plugins})
    const start = performance.now()
    for (const n of [1, 2, 3]) expect(await say(host, `/mod now shop/makeOrder {"n":${n}}`)).toBe(`{"id":"order-${n}"}`)
    expect(performance.now() - start).toBeGreaterThan(900)
    expect(await say(host, '/mod now shop/makeOrder {"n":4,"wait":300}')).toBe('{"id":"order-4"}')
    expect(notesIn(host.project).filter(line => line === "shop/makeOrder 4 plain")).toHaveLength(2)
    await host.stop()
    const again = await startHost({runtime, project: host.project})
    expect(await say(again, '/mod now shop/makeOrder {"n":5,"wait":60000}')).toBe("platform_failed 60")
  })

  test("are never called by an agent's tool", async () => {
    const ways = [
      {name: "mod.order", args: {way: "ask"}},
      {name: "mod.order", args: {way: "now"}},
      {name: "plain.order", args: {way: "service"}},
    ]
    const model = await startScriptedModel(({results}) => {
      const next = ways[results]
      return next === undefined ? {text: "no"} : {calls: [next]}
    })
    const agents = `agents:
  helper: {provider: openai-compatible, model: any, baseURL: ${model.url}, key: "\${MODEL_KEY}", instructionsFile: helper.md, tools: {mod.order: {}, plain.order: {}}, triggers: {direct: true}}
`
    const host = await startHost({
      runtime,
      config: config + agents,
      plugins,
      files: {"helper.md": "Help."},
      env: {MODEL_KEY: "key"},
    })
    await host.say("order one")
    await runAsked(host, "order one")
    const told = JSON.stringify(model.requests.at(-1)?.body)
    expect(told.match(/tool_effect/g)).toHaveLength(3)
    expect(notesIn(host.project)).toEqual([])
  })

  test("of a killed Host are made again only if they may be called twice", async () => {
    const host = await startHost({own: true, runtime, config, plugins})
    for (const method of ["pin", "makeOrder"])
      await tell(host, {text: `/mod queue shop/${method} {"stuck":true,"channel_id":"${method}"}`})
    await until("both calls", () => notesIn(host.project).length === 2)
    await host.stop("SIGKILL")
    host.project.write("go", "")
    const again = await startHost({runtime, project: host.project})
    const ends = async () => {
      const {items} = await again.get("/api/outbox")
      return Object.fromEntries(items.flatMap(({kind, channel, state}) => (kind === "call" ? [[channel, state]] : [])))
    }
    await until("the call again", async () => (await ends()).pin === "sent")
    expect(await ends()).toEqual({pin: "sent", makeOrder: "unknown"})
    expect(notesIn(again.project)).toEqual(["shop/pin  queued", "shop/makeOrder  queued", "shop/pin  queued"])
  })
})
