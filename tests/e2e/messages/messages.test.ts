import {expect, test} from "vitest"
import {eventOf, launchHost, pluginWith, startHost, type TestHost} from "../../support/host/host.ts"
import {until, untilPrinted} from "../../support/host/process.ts"
import {story} from "../../support/host/story.ts"
import {tell} from "../../support/messages/messages.ts"

const config = `http: {port: 0}
plugins:
  sandbox: {}
  bot: {}
`
const start = (setup: string, own = false) =>
  startHost({own, config, plugins: {bot: pluginWith(setup)}, args: ["--no-watch"]})
const again = (host: TestHost) => startHost({own: true, project: host.project, args: ["--no-watch"]})

const kill = (host: TestHost) => host.stop("SIGKILL")

const notes = (host: TestHost) => host.project.read("notes.log").trim().split("\n")

const outbox = async (host: TestHost) =>
  (await host.get<{items: {text: string; state: string}[]}>("/api/outbox?limit=500")).items

const echo = 'plugin.on("message-created", session => "heard " + session.text)'

test("an acknowledged event is stored, so it survives kill -9 and is answered once", story, async () => {
  let host = await start(echo, true)
  const answers = new Map<string, number>()
  for (let round = 0; round < 3; round++) {
    const acknowledged: number[] = []
    const saying = Promise.allSettled(
      Array.from({length: 20}, async (_, n) => {
        acknowledged.push(await tell(host, {text: `message ${round}.${n}`, channel: `c${n % 7}`}))
      }),
    )
    await until("some acknowledgements", () => acknowledged.length >= 5)
    await kill(host)
    await saying
    host = await again(host)
    for (const seq of acknowledged) {
      const event = await eventOf(host, seq)
      expect(event).toMatchObject({state: "handled", replies: [expect.any(String)]})
      const text = event.event.message?.content ?? ""
      answers.set(text, (answers.get(text) ?? 0) + 1)
    }
  }
  expect(answers.size).toBeGreaterThanOrEqual(15)
  expect(new Set(answers.values())).toEqual(new Set([1]))
})

test("each handler of an event has a separate mark, and an event without handlers has none", async () => {
  const host = await start(`
    plugin.command("both", () => "by the command")
    plugin.on("message-created", session => { if (session.text === "/both") return "by the first" })
    plugin.on("message-created", session => { if (session.text === "/both") return "by the second" })
    plugin.on("reaction-added", () => "never")`)
  const event = await eventOf(host, await tell(host, {text: "/both"}))
  expect(event.marks.map(({handler, state}) => `${handler} ${state}`)).toEqual([
    "root/bot/command/both handled",
    "root/bot/handler/message-created.0 handled",
    "root/bot/handler/message-created.1 handled",
  ])
  expect(event.replies).toHaveLength(3)
  const quiet = await startHost({config: config.replace("  bot: {}\n", "")})
  expect(await eventOf(quiet, await tell(quiet, {text: "hello"}))).toMatchObject({
    state: "handled",
    marks: [],
    replies: [],
  })
})

/** Source code that waits up to ten seconds until each of these lines is in notes.log. */
const awaiting = (lines: string) => `for (let n = 0; n < 500; n++) {
      const noted = require("node:fs").readFileSync(join(plugin.project, "notes.log"), "utf8").split("\\n")
      if (${lines}.every(line => noted.includes(line))) break
      await sleep(20)
    }`

test("a handler's sends are stored with its mark, so an earlier kill -9 leaves none", async () => {
  const host = await start(
    `plugin.on("message-created", async session => {
    await session.send("one")
    note("sent one")
    await sleep(notes().length > 1 ? 0 : 60_000)
    return "two"
  })
  const notes = () => require("node:fs").readFileSync(join(plugin.project, "notes.log"), "utf8").trim().split("\\n")`,
    true,
  )
  const seq = await tell(host, {text: "go"})
  await until("the handler to be half done", () => notes(host).includes("sent one"))
  expect(await outbox(host)).toEqual([])
  await kill(host)
  const later = await again(host)
  expect((await eventOf(later, seq)).marks).toMatchObject([{state: "handled", attempt: 2}])
  expect((await outbox(later)).map(({text}) => text)).toEqual(["two", "one"])
})

test("after kill -9 the backlog is replayed in order, one event at a time", async () => {
  const host = await start(
    `plugin.on("message-created", async session => {
    note("begin " + session.text)
    await sleep(notes() > 3 ? 30 : 60_000)
    if (["x", "y"].includes(session.text)) ${awaiting('["begin x", "begin y"]')}
    note("end " + session.text)
  })
  const notes = () => require("node:fs").readFileSync(join(plugin.project, "notes.log"), "utf8").trim().split("\\n").length`,
    true,
  )
  const seqs: number[] = []
  for (const text of ["a", "b", "c"]) seqs.push(await tell(host, {text, channel: text}))
  for (const text of ["a2", "b2"]) seqs.push(await tell(host, {text, channel: text[0] ?? ""}))
  await until("three conversations to be handled side by side", () => notes(host).length === 3)
  await kill(host)
  const later = await again(host)
  for (const seq of seqs) expect((await eventOf(later, seq)).state).toBe("handled")
  const replayed = notes(later).slice(3)
  expect(replayed.filter((_, n) => n % 2 === 0).map(line => line.replace("begin ", ""))).toEqual(
    replayed.filter((_, n) => n % 2 === 1).map(line => line.replace("end ", "")),
  )
  expect(replayed.map(line => line.split(" ")[1]).sort()).toEqual([
    "a",
    "a",
    "a2",
    "a2",
    "b",
    "b",
    "b2",
    "b2",
    "c",
    "c",
  ])
  const side = await Promise.all(["x", "y"].map(channel => tell(later, {text: channel, channel})))
  for (const seq of side) await eventOf(later, seq)
  expect(
    notes(later)
      .slice(-4)
      .map(line => line.split(" ")[0]),
  ).toEqual(["begin", "begin", "end", "end"])
})

test("an event whose handler runs at two ends of the Host is dead, and others are handled", async () => {
  const host = await start(
    `plugin.on("message-created", async session => {
    note(session.text)
    if (session.text === "crash") process.kill(process.pid, "SIGKILL")
    return "heard " + session.text
  })`,
    true,
  )
  // Otherwise this event could be running when the Host ends, too.
  await eventOf(host, await tell(host, {text: "before"}))
  const crash = await tell(host, {text: "crash", channel: "other"}).catch(() => 2)
  await host.process.finished
  await launchHost({project: host.project}).process.finished
  const third = await again(host)
  const event = await eventOf(third, crash)
  expect(event.event.message?.content).toBe("crash")
  expect(event).toMatchObject({state: "dead", replies: []})
  expect(event.marks).toMatchObject([{state: "dead", attempt: 2, error: "suspected_crash"}])
  expect(await third.say("after", {channel: "other"})).toEqual(["heard after"])
  expect(notes(third)).toEqual(["before", "crash", "crash", "after"])
  await untilPrinted(third.process, `does not run root/bot/handler/message-created.0 of event ${crash} again`)
})

test("a handler that a stop interrupts runs again at the next start, and is not suspected", async () => {
  const host = await start(
    `plugin.on("message-created", async session => {
    note("begun")
    const {size} = require("node:fs").statSync(join(plugin.project, "notes.log"))
    if (size < 15) await new Promise(resolve => session.signal.addEventListener("abort", resolve))
    return "heard " + session.text
  })`,
    true,
  )
  const seq = await tell(host, {text: "hello"})
  const begun = () => notes(host).filter(line => line === "begun").length
  await until("the handler to begin", () => begun() === 1)
  expect((await host.stop()).code).toBe(0)
  const second = await again(host)
  await until("the handler to begin again", () => begun() === 2)
  expect((await second.stop()).code).toBe(0)
  const event = await eventOf(await again(host), seq)
  expect(event.marks).toMatchObject([{state: "handled", attempt: 3, error: null}])
  expect(event.replies).toHaveLength(1)
})
