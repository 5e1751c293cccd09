import {expect, test} from "vitest"
import {eventOf, launchHost, pluginWith, startHost, story, type TestHost, tell} from "../../support/host/host.ts"
import {until, untilPrinted} from "../../support/host/process.ts"
import {notesIn} from "../../support/plugins/plugin-sources.ts"

const config = `http: {port: 0}
plugins: {sandbox: {}, bot: {}}
`
const start = (setup: string, own = false) =>
  startHost({own, config, plugins: {bot: pluginWith(setup)}, args: ["--no-watch"]})
const again = (host: TestHost) => startHost({own: true, project: host.project, args: ["--no-watch"]})

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
    await host.stop("SIGKILL")
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
  const quiet = await startHost({config: config.replace(", bot: {}", "")})
  expect(await eventOf(quiet, await tell(quiet, {text: "hello"}))).toMatchObject({
    state: "handled",
    marks: [],
    replies: [],
  })
})

test("an event whose handler runs at two ends of the Host is dead, and others are handled", async () => {
  const host = await start(
    `const met = new Set()
  const waiting = join(plugin.project, "waiting")
  plugin.on("message-created", async session => {
    note(session.text)
    while (session.text === "crash" && !existsSync(waiting)) await sleep(10)
    if (session.text === "crash") process.kill(process.pid, "SIGKILL")
    if (session.text === "wait" && !existsSync(waiting)) {
      appendFileSync(waiting, "")
      await sleep(60_000)
    }
    if (["x", "y"].includes(session.text)) met.add(session.text)
    while (met.size === 1) await sleep(10)
    return "heard " + session.text
  })`,
    true,
  )
  // Otherwise this event could be running when the Host ends, too.
  await eventOf(host, await tell(host, {text: "before"}))
  const crash = await tell(host, {text: "crash", channel: "other"})
  const waiting = await tell(host, {text: "wait", channel: "third"}).catch(() => 3)
  await host.process.finished
  await launchHost({project: host.project}).process.finished
  const third = await again(host)
  const event = await eventOf(third, crash)
  expect(event.event.message?.content).toBe("crash")
  expect(event).toMatchObject({state: "dead", replies: []})
  expect(event.marks).toMatchObject([{state: "dead", attempt: 2, error: "suspected_crash"}])
  expect((await eventOf(third, waiting)).marks).toMatchObject([{state: "handled", attempt: 2}])
  expect(await third.say("after", {channel: "other"})).toEqual(["heard after"])
  expect(notesIn(third.project)).toEqual(["before", "crash", "wait", "crash", "wait", "after"])
  // After the replay, conversations run side by side again.
  const side = await Promise.all(["x", "y"].map(channel => third.say(channel, {channel})))
  expect(side).toEqual([["heard x"], ["heard y"]])
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
  const begun = () => notesIn(host.project).filter(line => line === "begun").length
  await until("the handler to begin", () => begun() === 1)
  expect((await host.stop()).code).toBe(0)
  const second = await again(host)
  await until("the handler to begin again", () => begun() === 2)
  expect((await second.stop()).code).toBe(0)
  const event = await eventOf(await again(host), seq)
  expect(event.marks).toMatchObject([{state: "handled", attempt: 3, error: null}])
  expect(event.replies).toHaveLength(1)
})
