import {describe, expect, test} from "vitest"
import {failureOf, reload, statusOf} from "../../support/host/generation.ts"
import {eventOf, launchHost, posting, runtimes, startHost, tell, until, untilPrinted} from "../../support/host/host.ts"
import {unknownCommand} from "../../support/messages/answers.ts"
import {pluginWith, replying} from "../../support/plugins/plugin-sources.ts"
import {pluginOf} from "./plugin.ts"

const config = (plugins: string) => `http: {port: 0}
plugins:
  sandbox: {}
${plugins}messages: {failure: ""}
`
const quiet = ["--no-watch"]

describe.each(runtimes)("a Host on $name does not start", runtime => {
  test.each([
    ["with a syntax error in a plugin", "export default {\n  a b\n}\n", /plugins\/broken\.ts:2:\d+ /],
    [
      "with a setup that throws",
      'import {definePlugin} from "svc-runtime"\nexport default definePlugin({\n  setup() {\n    throw new Error("no luck")\n  },\n})\n',
      /plugins\/broken\.ts:4:\d+ plugins\.broken: no luck/,
    ],
    [
      "with a setup that rejects",
      'import {definePlugin} from "svc-runtime"\nexport default definePlugin({\n  async setup() {\n    await null\n    throw new Error("no luck")\n  },\n})\n',
      /plugins\/broken\.ts:5:\d+ plugins\.broken: no luck/,
    ],
    [
      "with an import that is not there",
      'import {x} from "./nothing.ts"\nexport default x\n',
      /plugins\/broken\.ts:1:\d+ /,
    ],
  ])("%s, and names the position", async (_, source, position) => {
    const {process} = launchHost({runtime, config: config("  broken: {}\n"), plugins: {broken: source}})
    const {code, stderr} = await process.finished
    expect({code, stderr}).toEqual({code: 1, stderr: expect.stringMatching(position)})
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

describe("setup", () => {
  test("is aborted and undone after 10 s without an end, and the old generation keeps running", async () => {
    const host = await startHost({
      config: config("  greeter: {}\n"),
      plugins: {
        greeter: replying("greet", "hello"),
        endless: pluginWith('plugin.defer(() => note("undone")); return new Promise<void>(() => {})'),
      },
      args: quiet,
    })
    host.project.write("svc.config.yml", config("  greeter: {}\n  endless: {}\n"))
    const reloading = host.fetch("/api/system/reload", posting())
    expect(await host.say("/greet")).toEqual(["hello"])
    expect(await (await reloading).json()).toMatchObject({code: "plugin_timeout"})
    expect((await failureOf(host)).issues).toEqual([
      expect.stringMatching(/^plugins\/endless\.ts:1:1 plugins\.endless: /),
    ])
    expect(host.project.read("notes.log")).toBe("undone\n")
    expect((await statusOf(host)).generation.number).toBe(1)
    expect(await host.say("/greet")).toEqual(["hello"])
  })

  test("declares the plugin's capabilities, and later declarations are refused", async () => {
    const host = await startHost({
      config: config("  late: {}\n"),
      plugins: {
        late: pluginWith(`plugin.command("declare", () => {
          try { plugin.command("more", () => "more"); return "declared" } catch (error) { return (error as Error).message }
        })`),
      },
    })
    expect(await host.say("/declare")).toEqual([expect.stringMatching(/^command\(\) .*\bsetup$/)])
  })

  test("fails if two plugins publish the same command", async () => {
    const {process} = launchHost({
      config: config("  one: {}\n  two: {}\n"),
      plugins: {one: replying("greet", "1"), two: replying("greet", "2")},
    })
    const {code, stderr} = await process.finished
    expect(code).toBe(1)
    expect(stderr).toContain('svc.config.yml:5:3 plugins.two: the command "greet" ')
  })
})

describe("a handler that throws", () => {
  const source = pluginWith(`
    plugin.on("message-created", async session => {
      await session.send("never to be seen")
      if (session.text === "throw") throw new Error("no answer today")
      if (session.text === "reject") await sleep(1).then(() => { throw new Error("no answer later") })
    })
    plugin.on("message-created", session => "the other handler heard " + session.text)`)

  test.each(["throw", "reject"])("sends nothing and fails; other handlers and the next event run: %s", async text => {
    const host = await startHost({config: config("  moody: {}\n"), plugins: {moody: source}, args: quiet})
    const sn = await tell(host, {text})
    const event = await eventOf(host, sn)
    expect(event.state).toBe("failed")
    expect(event.marks).toMatchObject([
      {
        handler: "root/moody/handler/message-created.0",
        state: "failed",
        attempt: 1,
        error: expect.stringMatching(/^no answer/),
      },
      {handler: "root/moody/handler/message-created.1", state: "handled", attempt: 1, error: null},
    ])
    expect([...(await host.say("fine"))].sort()).toEqual(["never to be seen", "the other handler heard fine"])
    const {items} = await host.get("/api/outbox")
    expect(items.map(item => item.text).sort()).toEqual(
      ["never to be seen", "the other handler heard fine", `the other handler heard ${text}`].sort(),
    )
    expect((await pluginOf(host, "moody"))?.state).toBe("active")
  })

  test("cannot send after its end", async () => {
    const late = pluginWith(`plugin.command("later", ({session}) => {
      setTimeout(() => void session.send("too late").catch(error => note(error.code)), 20)
      return "now"
    })`)
    const host = await startHost({config: config("  late: {}\n"), plugins: {late}, args: quiet})
    expect(await host.say("/later")).toEqual(["now"])
    await until("the refusal", () => host.project.read("notes.log") === "late\n")
    expect((await host.get("/api/outbox")).items).toHaveLength(1)
  })
})

const undos = ["closed", "aborted", "undone last", "undo that throws", "undone first"]

describe("everything that a plugin instance acquired", () => {
  const source = pluginWith(`
    plugin.signal.addEventListener("abort", () => note("aborted"))
    plugin.defer(() => note("undone first"))
    plugin.defer(() => { note("undo that throws"); throw new Error("cannot undo") })
    plugin.defer(async () => { await sleep(20); note("undone last") })
    plugin.command("mine", () => "mine")
    plugin.on("message-created", session => { if (session.text === "hear") return "heard" })
    plugin.route({method: "GET", path: "/mine", scope: "full", summary: "mine", handle: () => new Response("mine")})
    plugin.adapter("line", {
      history: "none",
      open: async (_, endpoint) => {
        endpoint.defer(() => note("closed"))
        return {send: async () => ({ids: []})}
      },
    })`)

  test("is undone when the plugin is removed, and undos run in reverse order", async () => {
    const host = await startHost({config: config("  mine: {}\n"), plugins: {mine: source}, args: quiet})
    await until("the endpoint to be online", async () => (await endpoints(host)).line === "online")
    expect(await host.say("/mine")).toEqual(["mine"])
    expect(await host.say("hear")).toEqual(["heard"])
    expect((await host.fetch("/api/plugins/mine/mine")).status).toBe(200)
    expect((await pluginOf(host, "mine"))?.capabilities.map(({id}) => id)).toEqual([
      "root/mine/command/mine",
      "root/mine/handler/message-created.0",
      "root/mine/slot/line",
      "root/mine/endpoint/line",
      "root/mine/route/GET /mine",
    ])
    host.project.write("svc.config.yml", config(""))
    await reload(host)
    await until("the undos", () => host.project.read("notes.log").includes("undone first"))
    expect(host.project.read("notes.log").trim().split("\n")).toEqual(undos)
    await untilPrinted(host.process, "an undo failed: cannot undo")
    expect(await host.say("/mine")).toEqual([unknownCommand("mine")])
    expect(await host.say("hear")).toEqual([])
    expect((await host.fetch("/api/plugins/mine/mine")).status).toBe(404)
    expect(await endpoints(host)).toEqual({sandbox: "online"})
    expect(await pluginOf(host, "mine")).toBeUndefined()
  })

  test("is undone when the Host stops", async () => {
    const host = await startHost({config: config("  mine: {}\n"), plugins: {mine: source}, args: quiet})
    await until("the endpoint to be online", async () => (await endpoints(host)).line === "online")
    expect((await host.stop()).code).toBe(0)
    expect(host.project.read("notes.log").trim().split("\n")).toEqual(undos)
  })
})

describe("an undo that does not end", () => {
  const stuck = pluginWith(`
    plugin.defer(() => new Promise(() => {}))
    plugin.adapter("line", {
      history: "none",
      open: async (_, endpoint) => {
        endpoint.defer(() => new Promise(() => {}))
        return {send: async () => ({ids: []})}
      },
    })`)
  const start = () =>
    startHost({
      config: config("  stuck: {}\n"),
      plugins: {stuck, other: stuck.replaceAll('"line"', '"other"')},
      args: quiet,
    })

  test("delays the opening of other endpoints by at most 5 s", async () => {
    const host = await start()
    await until("the endpoint to be online", async () => (await endpoints(host)).line === "online")
    host.project.write("svc.config.yml", config("  other: {}\n"))
    expect(await reload(host)).toEqual({committed: true, generation: 2})
    await until("the new endpoint to be online", async () => (await endpoints(host)).other === "online")
    expect(await endpoints(host)).toEqual({sandbox: "online", other: "online"})
  })

  test("does not prevent a graceful stop of the Host", async () => {
    const host = await start()
    await until("the endpoint to be online", async () => (await endpoints(host)).line === "online")
    const {code, stdout} = await host.stop()
    expect(code).toBe(0)
    expect(stdout).toMatch(/\bendpoint .*\bclose in time\b/)
    expect(stdout.trimEnd().split("\n").at(-1)).toContain("stopped")
  })
})

const endpoints = async (host: Awaited<ReturnType<typeof startHost>>): Promise<Record<string, string>> => {
  const {items} = await host.get("/api/endpoints")
  return Object.fromEntries(items.map(({name, state}) => [name, state]))
}
