import {describe, expect, test} from "vitest"
import {bunOr, eventOf, pluginWith, startHost, svc, type TestHost, tell, until} from "../../support/host/host.ts"
import {connectSatori} from "../../support/satori/satori.ts"

const config = "http: {port: 0}\nplugins:\n  sandbox: {}\n  clock: {}\n"

const clock = pluginWith(`
    const remind = plugin.timer("remind", {data: Type.Object({text: Type.String()})}, (session, {text}) => text)
    plugin.command("remind <ms:integer> <text:string>", async ({args, session}) => {
      await session.setTimer(remind, {in: args.ms}, {text: args.text}, {key: "remind"})
      return "I will"
    })
    plugin.command("forget", async ({session}) => void (await session.clearTimer("remind")))
    plugin.command("list [whose:user|channel]", async ({args, session}) => {
      const set = await session.timers(remind, args.whose)
      return set.map(({data}) => data.text).join() || "none"
    })
    plugin.command("drop <text:string>", async ({args, session}) => {
      for (const each of await session.timers(remind)) if (each.data.text === args.text) await session.clearTimer(each)
    })
    plugin.route({
      method: "GET", path: "/timers", scope: "full", summary: "All timers",
      handle: async () => Response.json((await plugin.timers(remind)).map(({data}) => data.text)),
    })
    plugin.command("bad", async ({session}) => void (await session.setTimer(remind, {in: 1}, {text: 7})))
    const tick = plugin.timer("tick", {data: Type.Object({n: Type.Number()})}, (session, {n}) => note("tick " + n))
    plugin.route({
      method: "POST", path: "/tick", scope: "full", summary: "Set a tick",
      handle: async () => Response.json(await plugin.setTimer(tick, {in: 1}, {n: 7}, {key: "tick"})),
    })
    plugin.setTimer(tick, {in: 1}, {n: 0}).catch(error => note("setup " + error.code))`)

const said = async (host: TestHost) =>
  (
    await host.plugin<{items: {text: string; from: string}[]}>("/api/plugins/sandbox/messages?channel=chat")
  ).items.flatMap(({text, from}) => (from === "bot" ? [text] : []))

describe.each(bunOr("node24"))("timers on $name", runtime => {
  test("are listed by their user, their channel and their plugin, and cleared as listed", async () => {
    const host = await startHost({runtime, config, plugins: {clock}})
    const keyed = clock.replace('{key: "remind"}', "{}")
    host.project.write("plugins/clock.ts", keyed)
    await host.post("/api/system/reload")
    const say = (text: string, user: string, channel: string) => host.say(text, {user, channel})
    await say("/remind 7200000 tea", "ann", "chat")
    await say("/remind 3600000 soup", "ann", "kitchen")
    await say("/remind 5400000 cake", "bob", "chat")
    expect(await say("/list", "ann", "chat")).toEqual(["soup,tea"])
    expect(await say("/list channel", "ann", "chat")).toEqual(["cake,tea"])
    expect(await say("/list", "eve", "chat")).toEqual(["none"])
    await say("/drop cake", "ann", "chat")
    await say("/drop tea", "ann", "chat")
    expect(await host.plugin("/api/plugins/clock/timers")).toEqual(["soup", "cake"])
  })

  test("are set in a handler, listed, fire in their conversation, and can be cleared or cancelled", async () => {
    const host = await startHost({runtime, config, plugins: {clock}})
    const application = await connectSatori(host)
    await application.hears(4)
    expect(await host.say("/remind 10 tea", {channel: "chat"})).toEqual(["I will"])
    await until("the reminder", async () => (await said(host)).includes("tea"))
    await host.say("/remind 3600000 later", {channel: "chat"})
    // Other applications receive no events of a plugin's timers.
    await application.hearsMessages(2)
    expect(application.signals.filter(({body}) => JSON.stringify(body)?.includes('"timer"'))).toEqual([])
    application.close()
    const {items} = await host.get("/api/timers")
    expect(items).toEqual([
      expect.objectContaining({state: "waiting", plugin: "clock", name: "remind", channel: "chat"}),
    ])
    expect((await svc(runtime, host.project, ["timer", "show", items[0]?.id ?? ""])).stdout).toMatch(/repeats\s+no\b/)
    await host.say("/forget", {channel: "chat"})
    expect((await host.get("/api/timers")).items).toEqual([])

    await host.say("/remind 3600000 never", {channel: "chat"})
    const listed = await svc(runtime, host.project, ["timer", "list", "--json"])
    const [{id}] = JSON.parse(listed.stdout).items
    expect((await svc(runtime, host.project, ["timer", "cancel", id])).stdout).toBe("cancel: 1 timer\n")
    const again = await svc(runtime, host.project, ["timer", "cancel", id])
    expect({code: again.code, told: again.stderr}).toEqual({
      code: 1,
      told: expect.stringMatching(new RegExp(`^svc: .*\\btimer ${id}`)),
    })

    const sn = await tell(host, {text: "/bad", channel: "chat"})
    const [refused] = (await eventOf(host, sn)).marks
    expect(refused?.error).toMatch(/\btimer "remind" .*: data\.text: /)
    expect(host.project.read("notes.log")).toBe("setup not_active\n")
    await host.plugin("/api/plugins/clock/tick", {})
    await until("the tick", () => host.project.read("notes.log") === "setup not_active\ntick 7\n")
  })
})
