import {rmSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {problems} from "../../../shared/problems.ts"
import {changeDatabase} from "../../support/database/databases.ts"
import {printedJson, runCommand} from "../../support/host/command-line.ts"
import {eventOf, expectProblem, launchHost, posting, startHost, type TestHost, until} from "../../support/host/host.ts"
import {bunOr, onBun, onNode22, type TestRuntime} from "../../support/host/runtimes.ts"
import {messageIn, tell} from "../../support/messages/messages.ts"
import {notesIn, pluginWith} from "../../support/plugins/plugin-sources.ts"

const both = onNode22 === undefined ? [onBun] : [onBun, onNode22]

const config = `http: {port: 0}
messages: {failure: ""}
plugins:
  sandbox: {}
  bot: {}
`
const start = (setup: string, runtime: TestRuntime = onBun, own = false) =>
  startHost({own, config, runtime, plugins: {bot: pluginWith(setup)}, args: ["--no-watch"]})
const again = (host: TestHost, runtime: TestRuntime = onBun) =>
  startHost({project: host.project, runtime, args: ["--no-watch"]})

const kill = (host: TestHost) => host.stop("SIGKILL")

/** An error with its place in the plugin. */
const at = (error: string) => expect.stringMatching(new RegExp(`^${error} \\(plugins/bot\\.ts:\\d+:\\d+\\)$`))

const texts = async (host: TestHost) =>
  (await host.get("/api/outbox", {limit: 500})).items.map(({text}) => text).reverse()

const tally = `
  plugin.database.migrate([{name: "tally", up: table => ["CREATE TABLE " + table("tally") + " (word TEXT PRIMARY KEY)"]}])
  const tally = plugin.database.table("tally")
  plugin.route({method: "GET", path: "/tally", scope: "demo", summary: "tally", handle: async () =>
    new Response(JSON.stringify((await plugin.database.read("SELECT word FROM " + tally + " ORDER BY word")).map(({word}) => word)))})
  const keep = (session, word) => session.database.write([{sql: "INSERT INTO " + tally + " (word) VALUES (?)", args: [word]}])`

describe.each(bunOr("node22"))("a handler on $name", runtime => {
  test("that declares retries runs again before its conversation continues, and answers once", async () => {
    const host = await start(
      `let calls = 0
      plugin.command("try", {retries: 2}, () => {
        note("try")
        if (++calls < 3) throw new Error("call " + calls)
        return "at last"
      })
      plugin.on("message-created", {retries: 1}, session => {
        if (session.text !== "never") return
        note("never")
        throw new Error("for ever")
      })
      plugin.command("after", () => { note("after"); return "after" })`,
      runtime,
    )
    const tried = await tell(host, {text: "/try"})
    const never = await tell(host, {text: "never", channel: "other"})
    const after = await tell(host, {text: "/after"})
    expect(await eventOf(host, after)).toMatchObject({state: "handled"})
    expect((await eventOf(host, tried)).marks[0]).toMatchObject({state: "handled", attempt: 3})
    expect((await eventOf(host, never)).marks).toMatchObject([{state: "failed", attempt: 2, error: at("for ever")}])
    expect(notesIn(host.project).filter(line => line !== "never")).toEqual(["try", "try", "try", "after"])
    expect(await texts(host)).toEqual(["at last", "after"])
  })

  test("that kill -9 interrupts does not repeat what it sent with sendNow, and writes once", async () => {
    const host = await start(
      `${tally}
      plugin.on("message-created", async session => {
        await keep(session, "word")
        note("id " + await session.sendNow("first, now"))
        if (process.getBuiltinModule("node:fs").readFileSync(join(plugin.project, "notes.log"), "utf8").trim().split("\\n").length < 2) await sleep(60_000)
        note("id " + await session.sendNow("second, now"))
        return "at the end"
      })`,
      runtime,
      true,
    )
    const seq = await tell(host, {text: "go"})
    await until(
      "the first message to be sent",
      async () => notesIn(host.project)[0]?.startsWith("id ") && (await texts(host)).length === 1,
    )
    await kill(host)
    const later = await again(host, runtime)
    expect(await eventOf(later, seq)).toMatchObject({state: "handled", marks: [{attempt: 2}]})
    const ids = notesIn(later.project)
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
    expect(await texts(later)).toEqual(["first, now", "second, now", "at the end"])
    expect(await later.plugin("/api/plugins/bot/tally")).toEqual(["word"])
  })

  test("that a failed start interrupts is not counted as failed, and runs again at the next start", async () => {
    const host = await start(
      `plugin.on("message-created", async () => {
        note("ran")
        if (!existsSync(join(plugin.project, "calm"))) await sleep(60_000, undefined, {signal: plugin.signal})
        return "done"
      })`,
      runtime,
      true,
    )
    const seq = await tell(host, {text: "go"})
    await until("the handler to run", () => notesIn(host.project).length === 1)
    await kill(host)
    // The gaps come after the inbox at startup, so this start fails late.
    await changeDatabase(host.project.path(".svc/data.sqlite"), "ALTER TABLE endpoint_gaps RENAME TO elsewhere")
    expect((await launchHost({project: host.project, runtime, args: ["--no-watch"]}).process.finished).code).toBe(1)
    await changeDatabase(host.project.path(".svc/data.sqlite"), "ALTER TABLE elsewhere RENAME TO endpoint_gaps")
    host.project.write("calm", "")
    const later = await again(host, runtime)
    expect(await eventOf(later, seq)).toMatchObject({state: "handled"})
    expect(await texts(later)).toEqual(["done"])
  })

  test("fails with everything else it did if the database rejects its write", async () => {
    const host = await start(
      `${tally}
      plugin.on("message-created", async session => {
        await keep(session, session.text)
        await session.sendNow("heard " + session.text)
        return "kept " + session.text
      })`,
      runtime,
    )
    expect(await host.say("one")).toEqual(["heard one", "kept one"])
    const twice = await eventOf(host, await tell(host, {text: "one"}))
    expect(twice).toMatchObject({state: "failed", marks: [{error: expect.stringContaining("UNIQUE")}]})
    expect(await texts(host)).toEqual(["heard one", "kept one", "heard one"])
  })
})

test.each(both)("a handler that throws late ends neither the Host nor another plugin's, on $name", async runtime => {
  const host = await startHost({
    config: `${config}  other: {}\n`,
    runtime,
    plugins: {
      bot: pluginWith(`plugin.on("message-created", async session => {
          setTimeout(() => { note("late"); throw new Error("late") }, 50)
          if (session.text === "throw") throw new Error("at once")
          return "bot"
        })`),
      other: pluginWith('plugin.on("message-created", async () => { await sleep(100); return "other" })'),
    },
    args: ["--no-watch"],
  })
  const event = await eventOf(host, await tell(host, {text: "throw"}))
  expect(event.marks.map(({handler, state}) => `${handler} ${state}`)).toEqual([
    "root/bot/handler/message-created.0 failed",
    "root/other/handler/message-created.0 handled",
  ])
  expect(event.replies).toHaveLength(1)
  await until("the late throw", () => notesIn(host.project).includes("late"))
  await sleep(20)
  expect([...(await host.say("more"))].sort()).toEqual(["bot", "other"])
})

const order = `
  const size = plugin.prompt("size", {data: Type.Object({item: Type.String()}), expires: 600}, ({answer, data, prompt, session}) => {
    if (!/^[SML]$/.test(answer)) return session.prompt(prompt, answer + " is no size. S, M or L?", data)
    note(data.item + " " + answer)
    return "One " + data.item + " in " + answer
  })
  plugin.command("order <item>", async ({args, session}) => {
    await session.prompt(size, "Which size?", {item: args.item})
    if (args.item === "nothing") throw new Error("there is none")
  })`

describe.each(bunOr("node22"))("a question on $name", runtime => {
  test("is answered by its user's next message, across kill -9, and then closed", async () => {
    const host = await start(order, runtime, true)
    expect(await host.say("/order hat", {user: "ada"})).toEqual(["Which size?"])
    await kill(host)
    const later = await again(host, runtime)
    expect(await later.say("M", {user: "bob"})).toEqual([])
    expect(await later.say("M", {user: "ada", channel: "elsewhere"})).toEqual([])
    expect(await later.say("huge", {user: "ada"})).toEqual(["huge is no size. S, M or L?"])
    expect((await later.stop()).code).toBe(0)
    const third = await again(later, runtime)
    const answer = await eventOf(third, await tell(third, {text: "M", user: "ada"}))
    expect(answer.marks).toMatchObject([{handler: "root/bot/prompt/size", state: "handled"}])
    expect((await messageIn(third, answer.replies[0] ?? "", "sent")).text).toBe("One hat in M")
    expect(await third.say("M", {user: "ada"})).toEqual([])
    expect(notesIn(third.project)).toEqual(["hat M"])
  })
})

test("a question stays open while its user calls commands, and ends with the word cancel", async () => {
  const host = await start(`${order}
    plugin.command("time", () => "noon")`)
  await host.say("/order hat")
  expect(await host.say("/time")).toEqual(["noon"])
  expect(await host.say("Cancel")).toEqual(["Cancelled."])
  expect(await host.say("L")).toEqual([])
})

test("a later generation answers an open question, and nothing does while its prompt is missing", async () => {
  const asking = `plugin.command("ask", async ({session}) => { await session.prompt(name, "Who?", 1) })`
  const answering = (word: string) =>
    pluginWith(`${asking}
    const name = plugin.prompt("name", ({answer, data}) => "${word} " + answer + " " + data)`)
  const host = await startHost({config, plugins: {bot: answering("first")}, args: ["--no-watch"]})
  const reload = async (source: string) => {
    host.project.write("plugins/bot.ts", source)
    expect(await host.post("/api/system/reload")).toMatchObject({committed: true})
  }
  await host.say("/ask")
  await reload(pluginWith(asking))
  expect(await host.say("Ada")).toEqual([])
  await reload(answering("second"))
  expect(await host.say("Ada")).toEqual(["second Ada 1"])
})

test("a new question replaces the previous one, and a handler that throws asks nothing", async () => {
  const host = await start(order)
  await host.say("/order hat")
  await host.say("/order coat")
  expect((await eventOf(host, await tell(host, {text: "/order nothing"}))).state).toBe("failed")
  expect(await host.say("L")).toEqual(["One coat in L"])
})

test("an undeclared question or data that does not fit fails the handler", async () => {
  const host = await start(`${order}
    plugin.command("wrong", async ({session}) => { await session.prompt({kind: "prompt", name: "sise"}, "?") })
    plugin.command("bad", async ({session}) => { await session.prompt(size, "?", {item: 7}) })`)
  const wrong = await eventOf(host, await tell(host, {text: "/wrong"}))
  expect(wrong.marks).toMatchObject([{state: "failed", error: expect.stringContaining('"sise"')}])
  const bad = await eventOf(host, await tell(host, {text: "/bad"}))
  expect(bad.marks).toMatchObject([{state: "failed", error: expect.stringContaining("item")}])
})

test("svc inbox retry repeats a failed handler with its answer, and discard gives it up", async () => {
  const host = await start(`
    const name = plugin.prompt("name", ({answer, data}) => {
      if (!existsSync(join(plugin.project, "fixed"))) throw new Error("not yet")
      return data + " " + answer
    })
    plugin.command("ask", async ({session}) => { await session.prompt(name, "Who?", "hello") })`)
  await host.say("/ask")
  const seq = await tell(host, {text: "Ada"})
  expect(await eventOf(host, seq)).toMatchObject({state: "failed", marks: [{error: at("not yet")}]})
  expect(await printedJson(host.project, `inbox retry ${seq}`)).toEqual({events: 1, handlers: 1})
  expect(await eventOf(host, seq)).toMatchObject({state: "failed", marks: [{attempt: 2}]})
  host.project.write("fixed", "")
  expect(await runCommand(host.project, `inbox retry ${seq} --handler root/bot/prompt/nome`)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      `root/bot/prompt/nome of event ${seq} .*: root/bot/prompt/name is failed\n  hint: ${problems.inbox_state.hint}\n$`,
    ),
  })
  expect(await runCommand(host.project, `inbox retry ${seq}`)).toMatchObject({
    code: 0,
    stdout: "retry: 1 handler of 1 event\n",
  })
  const event = await eventOf(host, seq)
  expect(event).toMatchObject({state: "handled", marks: [{attempt: 3, error: null}]})
  expect((await messageIn(host, event.replies[0] ?? "", "sent")).text).toBe("hello Ada")
  const given = await tell(host, {text: "/ask"})
  await eventOf(host, given)
  rmSync(host.project.path("fixed"))
  const second = await tell(host, {text: "Bob"})
  expect((await eventOf(host, second)).state).toBe("failed")
  expect(await runCommand(host.project, `inbox discard ${second}`)).toMatchObject({
    code: 0,
    stdout: "discard: 1 handler of 1 event\n",
  })
  expect(await eventOf(host, second)).toMatchObject({state: "discarded", replies: []})
  await expectProblem(await host.fetch(`/api/inbox/${seq}/retry`, posting()), 409, "inbox_state")
  await expectProblem(await host.fetch("/api/inbox/99/discard", posting()), 404, "inbox_unknown")
})

test("a held event stays held across a restart until svc inbox release or discard", async () => {
  const host = await start(`plugin.on("message-created", async session => {
    if (session.text === "wait") await new Promise(resolve => session.signal.addEventListener("abort", resolve))
    return "heard " + session.text
  })`)
  await tell(host, {text: "wait", channel: "one"})
  const held: number[] = []
  for (const text of ["a", "b", "c"]) held.push(await tell(host, {text, channel: "one"}))
  await host.stop()
  const file = host.project.path(".svc/data.sqlite")
  await changeDatabase(file, "UPDATE inbox_marks SET state = 'discarded' WHERE state = 'running'")
  await changeDatabase(file, "UPDATE inbox_marks SET state = 'held', error = 'restored' WHERE state = 'pending'")
  const later = await again(host)
  expect(await later.say("hello", {channel: "one"})).toEqual(["heard hello"])
  const list = await printedJson<{items: {seq: number; state: string}[]}>(later.project, "inbox list --state held")
  expect(list.items.map(({seq, state}) => `${seq} ${state}`)).toEqual(held.map(seq => `${seq} held`).reverse())
  expect((await later.fetch("/api/inbox?state=lost")).status).toBe(400)
  const [one, two, three] = held
  expect(await printedJson(later.project, `inbox release ${one}`)).toEqual({events: 1, handlers: 1})
  expect(await eventOf(later, one ?? 0)).toMatchObject({state: "handled", replies: [expect.any(String)]})
  expect(await printedJson(later.project, `inbox discard ${two}`)).toEqual({events: 1, handlers: 1})
  expect(await runCommand(later.project, "inbox release --held")).toMatchObject({
    code: 0,
    stdout: "release: 1 handler of 1 event\n",
  })
  expect(await eventOf(later, three ?? 0)).toMatchObject({state: "handled", marks: [{error: null}]})
  expect(await runCommand(later.project, "inbox discard --held")).toMatchObject({
    stdout: "discard: 0 handlers of 0 events\n",
  })
  expect((await eventOf(later, two ?? 0)).state).toBe("discarded")
  for (const words of ["inbox release", `inbox release ${one} --held`]) {
    const wrong = await runCommand(later.project, words)
    expect({code: wrong.code, stderr: wrong.stderr}).toEqual({
      code: 1,
      stderr: expect.stringContaining("hint: Name an event"),
    })
  }
})
