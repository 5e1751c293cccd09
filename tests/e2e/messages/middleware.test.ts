import {existsSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {bunOr, eventOf, type HostOptions, startHost, type TestHost, tell, until} from "../../support/host/host.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

/** A plugin with two middleware. A message names one of them and what it should do. */
const around = (name: string) =>
  pluginWith(`
    const trace = text => appendFileSync(join(plugin.project, "trace"), text + "\\n")
    const once = join(plugin.project, "once")
    for (const which of ["${name}0", "${name}1"]) {
      plugin.middleware(async (session, next) => {
        const asks = what => session.text.includes(which + " " + what)
        if (asks("stops silently")) return
        if (asks("stops with a word")) return which + " says no"
        if (asks("hangs once") && !existsSync(once)) {
          appendFileSync(once, "")
          await session.send(which + " hung")
          await new Promise(() => {})
        }
        if (asks("throws before")) throw new Error(which + " threw before")
        if (asks("calls late")) {
          setTimeout(() => next().catch(error => trace("refused: " + error.code)), 50)
          return
        }
        if (asks("sends before")) await session.send(which + " in")
        trace(which + " in")
        if (asks("calls twice")) void next()
        if (asks("does not wait")) {
          void next()
          return which + " did not wait"
        }
        await next()
        trace(which + " out")
        if (asks("throws after")) throw new Error(which + " threw after")
        if (asks("sends after")) return which + " out"
      })
    }`)

const bot = pluginWith(`
    const trace = text => appendFileSync(join(plugin.project, "trace"), text + "\\n")
    plugin.command("echo <text:text>", ({args}) => {
      trace("echo")
      return args.text
    })
    plugin.command("ask", async ({session}) => void (await session.prompt(answer, "what?")))
    const answer = plugin.prompt("answer", ({answer}) => "so it is " + answer)
    plugin.on("message-created", async session => {
      trace("on")
      if (session.text.includes("ping")) await session.send("pong")
    })`)

const configOf = (...plugins: readonly string[]) =>
  JSON.stringify({
    http: {port: 0},
    messages: {failure: ""},
    plugins: Object.fromEntries([...plugins, "sandbox"].map(name => [name, {}])),
  })

const plugins = {b: around("b"), a: around("a"), bot}

const start = (options: HostOptions = {}) =>
  startHost({args: ["--no-watch"], config: configOf("bot", "b", "a"), plugins, ...options})

const traceOf = (host: TestHost) => host.project.read("trace").trimEnd().split("\n")

const textsOf = (host: TestHost, ids: readonly string[]) =>
  Promise.all(ids.map(async id => (await host.get("/api/outbox/:id", {id})).text))

const untilHung = (host: TestHost) => until("the middleware to hang", () => existsSync(host.project.path("once")))

/** The outcome of a message: its marks by short handler name, and the texts of its replies. */
const outcomeOf = async (host: TestHost, text: string) => {
  const {marks, replies} = await eventOf(host, await tell(host, {text}))
  const short = (id: string) => id.replace(/^root\//, "").replace(/(middleware|command|handler|prompt)\//, "")
  return {
    replies: await textsOf(host, replies),
    marks: Object.fromEntries(marks.map(mark => [short(mark.handler), mark.error ?? mark.state])),
  }
}

const handled = {"a/0": "handled", "a/1": "handled", "b/0": "handled", "b/1": "handled"}
const own = {"bot/echo": "handled", "bot/message-created.0": "handled"}

test.each(bunOr("node22"))("middleware wraps handlers and commands in declared order, on $name", async runtime => {
  const host = await start({runtime})
  expect(await outcomeOf(host, "/echo hello")).toEqual({replies: ["hello"], marks: {...handled, ...own}})
  const trace = traceOf(host)
  expect(trace.slice(0, 4)).toEqual(["b0 in", "b1 in", "a0 in", "a1 in"])
  expect(trace.slice(4, 6).sort()).toEqual(["echo", "on"])
  expect(trace.slice(6)).toEqual(["a1 out", "a0 out", "b1 out", "b0 out"])
})

describe("a middleware", () => {
  test("that does not call next stops the event, and every inner mark names the reason", async () => {
    const host = await start()
    const reason = "not run: root/b/middleware/1 stopped the event"
    const stopped = {"a/0": reason, "a/1": reason, "bot/echo": reason, "bot/message-created.0": reason}
    expect(await outcomeOf(host, "/echo b1 stops silently")).toEqual({replies: [], marks: {...handled, ...stopped}})
    expect((await outcomeOf(host, "/echo b1 stops with a word")).replies).toEqual(["b1 says no"])
    const {items} = await host.get("/api/inbox", {limit: 2})
    expect(items.map(({state}) => state)).toEqual(["handled", "handled"])
    expect(traceOf(host).filter(line => /^(a|on|echo)/.test(line))).toEqual([])
    expect((await outcomeOf(host, "/echo hello")).replies).toEqual(["hello"])
  })

  test("that throws fails alone, and the event passes, whether it throws before or after next", async () => {
    expect(await outcomeOf(await start(), "/echo b0 throws before, a1 throws after")).toEqual({
      replies: ["b0 throws before, a1 throws after"],
      marks: {
        ...handled,
        ...own,
        "b/0": expect.stringMatching(/^b0 threw before \(plugins\/b\.ts:\d+:\d+\)$/),
        "a/1": expect.stringMatching(/^a1 threw after \(plugins\/a\.ts:\d+:\d+\)$/),
      },
    })
  })

  test("sends with a separate mark, after the inner handlers", async () => {
    const host = await start()
    const {replies} = await outcomeOf(host, "/echo ping, b0 sends before, a1 sends after")
    expect([...replies].sort()).toEqual(["a1 out", "b0 in", "ping, b0 sends before, a1 sends after", "pong"])
    expect(replies.slice(2)).toEqual(["a1 out", "b0 in"])
    expect((await outcomeOf(host, "/echo b0 sends before, b0 throws after")).replies).toEqual([
      "b0 sends before, b0 throws after",
    ])
  })

  test("that calls next twice or does not wait runs the inner handlers once, and a late call is refused", async () => {
    const host = await start()
    expect((await outcomeOf(host, "/echo a0 calls twice")).replies).toEqual(["a0 calls twice"])
    expect(traceOf(host).filter(line => line === "echo")).toHaveLength(1)
    const {replies} = await outcomeOf(host, "/echo a1 does not wait")
    expect([...replies].sort()).toEqual(["a1 did not wait", "a1 does not wait"])
    expect((await outcomeOf(host, "/echo b0 calls late")).replies).toEqual([])
    await until("the late call to be refused", () => traceOf(host).includes("refused: late"))
    expect(traceOf(host).filter(line => line === "echo")).toHaveLength(2)
  })

  test("sees unhandled events and answers to questions, and an answer that it stops is lost", async () => {
    const host = await start({config: configOf("b", "bot")})
    expect(await host.say("/ask")).toEqual(["what?"])
    expect((await outcomeOf(host, "b0 stops silently")).marks).toMatchObject({
      "b/0": "handled",
      "bot/answer": "not run: root/b/middleware/0 stopped the event",
    })
    expect((await outcomeOf(host, "later")).marks).not.toHaveProperty("bot/answer")
    expect(await host.say("/ask")).toEqual(["what?"])
    expect((await outcomeOf(host, "42")).replies).toEqual(["so it is 42"])
  })

  test("that a stop interrupts runs again with all inner handlers, and none of them runs alone", async () => {
    const host = await start()
    const seq = await tell(host, {text: "/echo b1 hangs once"})
    await untilHung(host)
    expect((await host.stop()).code).toBe(0)
    expect(traceOf(host)).toEqual(["b0 in"])
    const again = await start({project: host.project})
    const {marks, replies} = await eventOf(again, seq)
    expect(marks.map(({state}) => state)).toEqual(marks.map(() => "handled"))
    expect(await textsOf(again, replies)).toEqual(["b1 hangs once"])
    expect(traceOf(again).filter(line => line === "echo" || line === "b0 in")).toEqual(["b0 in", "b0 in", "echo"])
  })

  test("fails with its sends when its instance is replaced, and the event passes", async () => {
    const host = await start()
    const seq = await tell(host, {text: "/echo b1 hangs once"})
    await untilHung(host)
    host.project.write("svc.config.yml", configOf("bot", "a"))
    await host.post("/api/system/reload")
    const {marks, replies} = await eventOf(host, seq)
    expect(Object.fromEntries(marks.map(({handler, state}) => [handler.slice("root/".length), state]))).toMatchObject({
      "b/middleware/1": "failed",
      "a/middleware/0": "handled",
      "bot/command/echo": "handled",
    })
    expect(await textsOf(host, replies)).toEqual(["b1 hangs once"])
  })

  test("is removed with its instance", async () => {
    const host = await start()
    host.project.write("svc.config.yml", configOf("bot", "a"))
    await host.post("/api/system/reload")
    const {marks, replies} = await outcomeOf(host, "/echo b0 stops silently")
    expect(replies).toEqual(["b0 stops silently"])
    expect(marks).toEqual({"a/0": "handled", "a/1": "handled", ...own})
  })
})
