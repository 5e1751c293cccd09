import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {startHost, svc, type TestHost} from "../../support/host/host.ts"
import {eventOf} from "../../support/host/inbox-event.ts"
import {until} from "../../support/host/process.ts"
import {bunOr} from "../../support/host/runtimes.ts"
import {faultRun} from "../../support/machine/fault-run.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"
import {connectSatori} from "../../support/satori/satori.ts"

const {rounds: kills} = faultRun("timer-kills")

const config = "http: {port: 0}\nplugins:\n  sandbox: {}\n  clock: {}\n"

/** Reminds users on request, and stores each tick in the plugin's table. */
const clock = pluginWith(`
    plugin.database.migrate([{
      name: "ticks",
      up: table => ["CREATE TABLE " + table("ticks") + " (due INTEGER NOT NULL)"],
      irreversible: "the ticks are gone",
    }])
    const ticks = plugin.database.table("ticks")
    const remind = plugin.timer("remind", {data: Type.Object({text: Type.String()})}, (session, {text}) => text)
    plugin.timer("tick", {data: Type.Object({n: Type.Number()})}, async (session, {n}) => {
      await session.database.write([{sql: "INSERT INTO " + ticks + " (due) VALUES (?)", args: [n]}])
    })
    plugin.command("remind <ms:integer> <text:string>", async ({args, session}) => {
      await session.timer(remind, {in: args.ms}, {text: args.text}, {key: "remind"})
      return "I will"
    })
    plugin.command("forget", async ({session}) => void (await session.clearTimer("remind")))
    plugin.command("bad", async ({session}) => void (await session.timer("remind", {in: 1}, {text: 7})))
    plugin.route({
      method: "POST", path: "/ticks", scope: "full", summary: "Set ticks",
      body: Type.Object({first: Type.Integer(), count: Type.Integer()}),
      handle: async (_, call) => {
        const {first, count} = call.body as any
        const at = Date.now()
        for (let n = first; n < first + count; n++)
          await plugin.setTimer("tick", {at: at + (n - first) * 20}, {n}, {key: "tick-" + n})
        return Response.json({})
      },
    })
    plugin.route({
      method: "GET", path: "/ticks", scope: "full", summary: "Ticks",
      handle: async () => Response.json({ticks: (await plugin.database.read("SELECT due FROM " + ticks + " ORDER BY due")).map(({due}) => due)}),
    })
    plugin.setTimer("tick", {in: 1}, {n: 0}).catch(error => note("setup " + error.code))`)

const said = async (host: TestHost) =>
  (await host.get<{items: {text: string; from: string}[]}>("/api/plugins/sandbox/messages?channel=chat")).items.flatMap(
    ({text, from}) => (from === "bot" ? [text] : []),
  )

describe.each(bunOr("node24"))("timers on $name", runtime => {
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
    const {items} = await host.get<{items: {id: string; state: string; name: string; channel: string}[]}>("/api/timers")
    expect(items).toEqual([
      expect.objectContaining({state: "waiting", plugin: "clock", name: "remind", channel: "chat"}),
    ])
    const shown = await svc(runtime, host.project, ["timer", "show", items[0]?.id ?? ""])
    expect(shown.stdout).toMatch(/repeats\s+no\b/)
    await host.say("/forget", {channel: "chat"})
    expect((await host.get<{items: unknown[]}>("/api/timers")).items).toEqual([])

    await host.say("/remind 3600000 never", {channel: "chat"})
    const listed = await svc(runtime, host.project, ["timer", "list", "--json"])
    const [{id}] = JSON.parse(listed.stdout).items
    const cancelled = await svc(runtime, host.project, ["timer", "cancel", id])
    expect(cancelled.stdout).toBe("cancel: 1 timer\n")
    const again = await svc(runtime, host.project, ["timer", "cancel", id])
    expect({code: again.code, told: again.stderr}).toEqual({
      code: 1,
      told: expect.stringMatching(new RegExp(`^svc: .*\\btimer ${id}`)),
    })

    const {sn} = await host.post<{sn: number}>("/api/plugins/sandbox/messages", {text: "/bad", channel: "chat"})
    const [refused] = (await eventOf(host, sn)).marks
    expect(refused?.error).toMatch(/\btimer "remind" .*: data\.text: /)
    expect(host.project.read("notes.log")).toBe("setup not_active\n")
    await host.stop()
  })

  test(`fire once for each due time, though the Host is killed ${kills} times`, async () => {
    const each = 25
    let host = await startHost({own: true, runtime, config, plugins: {clock}})
    for (let kill = 0; kill < kills; kill++) {
      await host.post("/api/plugins/clock/ticks", {first: kill * each, count: each})
      await sleep(kill * 40)
      await host.stop("SIGKILL")
      host = await startHost({own: true, runtime, project: host.project})
    }
    const all = Array.from({length: kills * each}, (_, n) => n)
    const ticks = async () => (await host.get<{ticks: number[]}>("/api/plugins/clock/ticks")).ticks
    await until("all timers to fire", async () => (await ticks()).length >= all.length)
    expect(await ticks()).toEqual(all)
    expect((await host.get<{items: unknown[]}>("/api/timers")).items).toEqual([])
    await host.stop()
  })
})
