import {readFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {bunOr, eventOf, pluginWith, reload, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {botMessages, messageAfter, tell} from "../../support/messages/messages.ts"

const config = (word: string) => `http: {port: 0}
plugins:
  sandbox: {}
  actor: {config: {word: ${word}}}
`

/** Acts in handlers, sends from a route and at its start, and notes the calls that setup refuses. */
const actor = pluginWith(`
    let posted = ""
    plugin.command("post <text:string>", async ({args, session}) => {
      session.typing()
      posted = await session.send(args.text)
      await session.send("to be deleted")
    })
    plugin.command("fix", async ({session}) => void (await session.edit(posted, "fixed")))
    plugin.command("drop", async ({session}) => void (await session.delete(posted)))
    plugin.command("whisper", async ({session}) => void (await session.send({endpoint: "sandbox", user: "ann"}, "psst")))
    plugin.command("nowhere", async ({session}) => void (await session.send({endpoint: "nobody", channel: "x"}, "lost")))
    plugin.command("mute", async ({session}) =>
      void (await session.call("guild.member.mute", {guild_id: "sandbox", user_id: "bob", duration: 60_000})))
    plugin.command("unfriend", async ({session}) => void (await session.call("friend.delete", {user_id: "bob"})))
    plugin.command("who", async ({session}) => {
      const {data} = await plugin.ask(session.endpoint, "guild.member.list", {guild_id: "sandbox"}) as any
      return data.map(({user}: any) => user.id).join(", ")
    })
    plugin.command("ask <method:string>", async ({args, session}) => JSON.stringify(await plugin.ask(session.endpoint, args.method)))
    plugin.command("call <method:string>", async ({args, session}) => void (await session.call(args.method, {})))
    plugin.ask("sandbox", "guild.list").catch(error => note("asked " + error.code))
    plugin.send({endpoint: "sandbox", channel: "log"}, "from setup").catch(error => note("setup " + error.code))
    const visits = plugin.state("user", Type.Object({n: Type.Integer({default: 0})}))
    plugin.command("visit", async ({session}) => "visit " + (await session.state(visits).update(({n}) => ({n: n + 1}))).n)
    visits.of({endpoint: "sandbox", user: "ann"}).set({n: 9}).catch(error => note("state " + error.code))
    plugin.onStart(async () => {
      note("start")
      await plugin.send({endpoint: "sandbox", channel: "log"}, "started", {key: "start"})
    })
    const Body = Type.Object({text: Type.String(), key: Type.Optional(Type.String()), at: Type.Optional(Type.Number())})
    plugin.route({
      method: "POST", path: "/send", scope: "full", summary: "Send", body: Body,
      handle: async (_, call) => {
        const {text, ...options} = call.body as any
        return Response.json({id: await plugin.send({endpoint: "sandbox", channel: "log"}, text, options)})
      },
    })
    const told = plugin.timer("told", {data: Type.Object({id: Type.String()})}, async (_, {id}) => {
      const {state, platform} = await plugin.sent(id)
      note(state + " " + platform.length)
    })
    plugin.command("tell", async ({session}) => {
      const id = await session.send("told")
      await session.setTimer(told, {in: 0}, {id})
      const act = {guild_id: "sandbox", user_id: "bob", duration: 1}
      await session.setTimer(told, {in: 0}, {id: await session.call("guild.member.mute", act)})
      note(await plugin.sent(id).then(() => "early", error => error.code))
    })
    plugin.route({
      method: "POST", path: "/wait/:id", scope: "full", summary: "Wait",
      handle: async (_, call) => Response.json(await plugin.sent(call.params.id ?? "", {signal: AbortSignal.timeout(100)})
        .catch(error => ({error: error.name}))),
    })
    plugin.route({
      method: "POST", path: "/cancel/:id", scope: "full", summary: "Cancel",
      handle: async (_, call) => Response.json({done: await plugin.cancel(call.params.id ?? "")}),
    })`).replace("setup(plugin) {", "config: Type.Object({word: Type.String()}),\n  setup(plugin) {")

const heard = async (host: TestHost, channel: string) => {
  const items = await botMessages(host, channel)
  return items.map(({text, edited}) => (edited ? `${text} (edited)` : text))
}

const say = async (host: TestHost, text: string, user = "tester") => {
  const sn = await tell(host, {text, user, channel: "room"})
  const event = await eventOf(host, sn)
  for (const id of event.replies) await messageAfter(host, id)
  return event
}

const notes = (host: TestHost) => readFileSync(host.project.path("notes.log"), "utf8").trim().split("\n")

describe.each(bunOr("node22"))("a plugin on $name", runtime => {
  test("edits and deletes its messages, sends to a user, and is refused acts that the endpoint lacks", async () => {
    const host = await startHost({runtime, config: config("one"), plugins: {actor}})
    const {items} = await host.plugin<{items: {name: string}[]}>("/api/plugins/sandbox/commands")
    expect(items.map(({name}) => name)).toEqual(expect.arrayContaining(["help", "post", "whisper"]))
    await say(host, "/post hello")
    await say(host, "/fix")
    expect(await heard(host, "room")).toEqual(["fixed (edited)", "to be deleted"])
    await say(host, "/drop")
    expect(await heard(host, "room")).toEqual(["to be deleted"])
    await say(host, "/whisper")
    expect(await heard(host, "@ann")).toEqual(["psst"])
    const errorOf = async (text: string) => (await say(host, text)).marks.map(({error}) => error)
    expect(await errorOf("/nowhere")).toEqual([
      expect.stringMatching(/\bendpoint nobody; .*: sandbox \(plugins\/actor\.ts:20:\d+\)$/),
    ])
    expect(await errorOf("/unfriend")).toEqual([
      expect.stringMatching(/^sandbox cannot friend\.delete; it can send and /),
    ])
    await say(host, "/mute")
    await expect(say(host, "hi", "bob")).rejects.toThrow(/bob is muted/)
    // Bob is muted in the room, but may still write to the bot directly.
    const direct = {text: "why?", user: "bob", channel: "@bob"}
    expect(await host.plugin("/api/plugins/sandbox/messages", direct)).toMatchObject({duplicate: false})
  })

  test("waits for the ends of its messages, durably in a timer of the same batch", async () => {
    const host = await startHost({runtime, config: config("one"), plugins: {actor}})
    await say(host, "/tell")
    await until("the timers of a message and an act", () =>
      ["sent 1", "sent 0"].every(line => notes(host).includes(line)),
    )
    expect(notes(host)).toContain("outbox_unknown")
    const {id} = await host.plugin<{id: string}>("/api/plugins/actor/send", {text: "x", at: Date.now() + 86_400_000})
    expect(await host.plugin(`/api/plugins/actor/wait/${id}`, {})).toEqual({error: "TimeoutError"})
    await host.plugin(`/api/plugins/actor/cancel/${id}`, {})
    expect(await host.plugin(`/api/plugins/actor/wait/${id}`, {})).toMatchObject({state: "discarded", channel: "log"})
  })

  test("asks the platform, and is refused a method of the wrong kind with an explanation", async () => {
    const host = await startHost({runtime, config: config("one"), plugins: {actor}})
    const errorOf = async (text: string) => (await say(host, text)).marks.map(({error}) => error)
    await host.plugin("/api/plugins/sandbox/messages", {text: "hi", user: "eve", channel: "hall", group: true})
    await say(host, "/who")
    expect(await heard(host, "room")).toEqual(["bot, eve"])
    expect(await errorOf("/ask friend.list")).toEqual([expect.stringMatching(/^sandbox cannot friend\.list/)])
    expect(await errorOf("/ask guild.member.kick")).toEqual([
      expect.stringMatching(/^guild\.member\.kick .*\bsession\.call\b/),
    ])
    expect(await errorOf("/ask guild.member.get")).toEqual(["the sandbox needs user_id, a text"])
    expect(await errorOf("/call guild.list")).toEqual([expect.stringMatching(/^guild\.list .*\bplugin\.ask\b/)])
    expect(notes(host)).toContain("asked not_active")
  })

  test("sends at its start and from a route, once for each key, across kills and reloads", async () => {
    const host = await startHost({own: true, runtime, config: config("one"), plugins: {actor}})
    const send = (of: TestHost, body: object) => of.plugin<{id: string}>("/api/plugins/actor/send", body)
    await until("the message of the start", async () => (await heard(host, "log")).length === 1)
    const {id} = await send(host, {text: "daily", key: "day-1"})
    const later = await send(host, {text: "tomorrow", at: Date.now() + 86_400_000})
    expect(await host.get("/api/outbox/:id", {id: later.id})).toMatchObject({state: "scheduled", text: "tomorrow"})
    await until("the message", async () => (await heard(host, "log")).includes("daily"))
    for (const n of [1, 2]) expect(await host.say("/visit", {user: "ann"})).toEqual([`visit ${n}`])
    await host.stop("SIGKILL")

    const again = await startHost({runtime, project: host.project})
    expect(await again.say("/visit", {user: "ann"})).toEqual(["visit 3"])
    expect(await again.say("/visit", {user: "bob"})).toEqual(["visit 1"])
    expect(await send(again, {text: "daily", key: "day-1"})).toEqual({id})
    await until("the second start", () => notes(again).filter(note => note === "start").length === 2)
    expect(await again.get("/api/outbox/:id", {id: later.id})).toMatchObject({state: "scheduled"})
    expect(await again.plugin(`/api/plugins/actor/cancel/${later.id}`, {})).toEqual({done: true})
    expect(await again.get("/api/outbox/:id", {id: later.id})).toMatchObject({state: "discarded", reason: "cancelled"})
    // The kill loses the sandbox's messages, and none of the earlier ones is sent again.
    expect(await heard(again, "log")).toEqual([])

    again.project.write("svc.config.yml", config("two"))
    await reload(again)
    await until("the third start", () => notes(again).filter(note => note === "start").length === 3)
    expect(notes(again).filter(note => note.startsWith("setup"))).toEqual(Array(3).fill("setup not_active"))
    expect(notes(again).filter(note => note.startsWith("state"))).toEqual(Array(3).fill("state not_active"))
  })

  test("does not run onStart and sends nothing in a one-shot start", async () => {
    const host = await startHost({runtime, config: config("one"), plugins: {actor}})
    await host.stop()
    const before = notes(host)
    const {code} = await svc(runtime, host.project, ["runtime", "start", "--once", "--mode", "test"])
    expect(code).toBe(0)
    expect(notes(host).slice(before.length).sort()).toEqual([
      "asked not_active",
      "setup not_active",
      "state not_active",
    ])
  })
})
