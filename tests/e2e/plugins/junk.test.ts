import {describe, expect, test} from "vitest"
import {bunOr, eventOf, pluginWith, startHost, tell, until} from "../../support/host/host.ts"

const config = `http: {port: 0}
plugins: {sandbox: {}, junk: {}}
`

/** Invalid values that a plugin in JavaScript might pass, each with the expected error code. */
const junk = pluginWith(`
    const circle: any = {}
    circle.self = circle
    const remind = plugin.timer("remind", () => {})
    const notes = plugin.state("plugin", Type.Object({any: Type.Optional(Type.Any())}))
    const visits = plugin.state("user", Type.Object({n: Type.Integer({default: 0})}))
    const room = {endpoint: "sandbox", channel: "room"}
    const tries: Record<string, (session: any) => Promise<unknown>> = {
      "content_invalid: send null": s => s.send(null),
      "content_invalid: send a circle": s => s.send([circle]),
      "content_invalid: send a BigInt": s => s.send({type: "b", attrs: {n: 1n}, children: []}),
      "content_invalid: reply 42": s => s.reply(42),
      "content_invalid: sendNow an empty list": s => s.sendNow([]),
      "content_invalid: edit to nothing": async s => s.edit(await s.send("kept")),
      "content_invalid: plugin.send an object": () => plugin.send(room, {a: 1} as any),
      "target_invalid: edit {}": s => s.edit({}, "x"),
      "target_invalid: delete 5": s => s.delete(5),
      "target_invalid: send to null": s => s.send(null, "x"),
      "target_invalid: send with the target second": s => s.send("x", room),
      "target_invalid: sendNow to nothing": s => s.sendNow(undefined, "x"),
      "content_invalid: send a target nothing": s => s.send(room),
      "target_invalid: plugin.send to a NUL": () => plugin.send({endpoint: "sandbox", channel: "a\\0b"}, "x"),
      "target_invalid: setTimer for 5": () => plugin.setTimer(remind, {in: 1000, target: {endpoint: "sandbox", channel: 5 as any}}),
      "target_invalid: state of nobody": async () => visits.of({endpoint: "sandbox", user: ""}).get(),
      "request_invalid: react with nothing": s => s.react(""),
      "request_invalid: call with a BigInt": s => s.call("guild.member.mute", {guild_id: 1n}),
      "request_invalid: call with a circle": s => s.call("guild.member.mute", circle),
      "request_invalid: half a pair as key": () => plugin.send(room, "x", {key: "\\ud83d"}),
      "request_invalid: at null": () => plugin.send(room, "x", {at: null as any}),
      "prompt_unknown: ask a name": s => s.prompt("remind", "x"),
      "prompt_unknown: ask a timer": s => s.prompt(remind, "x"),
      "form_unknown: a form of a name": s => s.form("remind", "x"),
      "timer_unknown: a name": s => s.setTimer("remind", {in: 1000}),
      "timer_unknown: setTimer of a name": () => plugin.setTimer("remind" as any, {in: 1000}),
      "timer_unknown: a timer that is not declared": s => s.setTimer({kind: "timer", name: "none"}, {in: 1000}),
      "timer_invalid: every 2 to the 60th": s => s.setTimer(remind, {every: 2 ** 60}),
      "timer_invalid: in a text": s => s.setTimer(remind, {in: "5" as any}),
      "timer_invalid: at null": s => s.setTimer(remind, {at: null as any}),
      "timer_invalid: no time": s => s.setTimer(remind),
      "timer_invalid: setTimer at no time": () => plugin.setTimer(remind, undefined as any),
      "timer_invalid: a timezone beside in": s => s.setTimer(remind, {in: 1000, timezone: "UTC"}),
      "timer_invalid: a BigInt as data": s => s.setTimer(remind, {in: 1000}, 1n),
      "timer_invalid: a function as data": s => s.setTimer(remind, {in: 1000}, () => {}),
      "database_refused: no statements": s => s.database.write(null),
      "database_refused: a statement without text": s => s.database.write([{}]),
      "database_refused: a text as args": () => plugin.database.read("SELECT ?", "secret" as any),
      "state_invalid: a circle": s => s.state(notes).set({any: circle}),
    }
    plugin.command("tries", async ({session}) => {
      const told: string[] = []
      for (const [name, work] of Object.entries(tries))
        await work(session).then(() => told.push(name + " was taken"), error => {
          if (!name.startsWith(error.code + ": ")) told.push(name + " was " + error.code + ": " + error.message)
        })
      return told.length === 0 ? "all " + Object.keys(tries).length + " are refused" : told.join("; ")
    })
    plugin.command("null", () => null as any)
    plugin.command("true", () => true as any)
    plugin.command("half", () => "half \\ud83d")
    plugin.command("late", ({session}) => {
      setTimeout(async () => note([
        await session.edit("none", "x").catch((error: any) => error.code),
        await session.prompt({kind: "prompt", name: "none"}, "x").catch((error: any) => error.code),
      ].join()), 100)
    })
    plugin.onStart(async () => {
      note("started " + (await plugin.send({endpoint: "sandbox", channel: "log"}, "started", {key: "start"}) !== ""))
    })`)

describe.each(bunOr("node22"))("a plugin that passes invalid values, on $name,", runtime => {
  test("is refused each value with a code, and its conversation continues", async () => {
    const host = await startHost({runtime, config, plugins: {junk}})
    expect(await host.say("/tries")).toEqual(["kept", expect.stringMatching(/^all \d\d are refused$/)])
    const errorOf = async (text: string) => {
      const sn = await tell(host, {text})
      return (await eventOf(host, sn)).marks.map(({error}) => error)
    }
    expect(await errorOf("/null")).toEqual(["content contains null"])
    expect(await errorOf("/true")).toEqual(["content contains true"])
    expect(await host.say("/half")).toEqual(["half \ufffd"])
    await host.say("/late")
    await until("the late calls", () => host.project.read("notes.log").includes("late,late"))
    for (const list of ["outbox", "timers", "inbox"] as const) await host.get(`/api/${list}`)
  })

  test("sends at its start only once ingress is open", async () => {
    const host = await startHost({runtime, config, plugins: {junk}})
    await until("the message of the start", () => host.project.read("notes.log").includes("started true"))
    await host.post("/api/ingress/pause")
    await host.stop()
    host.project.write("notes.log", "")
    const again = await startHost({runtime, project: host.project})
    expect(await again.get("/api/plugins/:plugin", {plugin: "junk"})).toMatchObject({state: "active"})
    expect(again.project.read("notes.log")).toBe("")
    await again.post("/api/ingress/resume")
    await until("the message of the start", () => again.project.read("notes.log").includes("started true"))
  })
})
