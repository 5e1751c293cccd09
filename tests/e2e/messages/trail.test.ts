import {describe, expect, test} from "vitest"
import {entriesOf} from "../../../shared/api/trail/entries.ts"
import type {Trail} from "../../../shared/api/trail/trail.ts"
import {printedJson, runCommand} from "../../support/host/command-line.ts"
import {eventOf, expectProblem, messageIn, pluginWith, startHost, type TestHost, tell} from "../../support/host/host.ts"
import {bunOr, type TestRuntime} from "../../support/host/runtimes.ts"

const config = `http: {port: 0, demoToken: "\${DEMO_TOKEN}"}
messages: {failure: ""}
plugins: {sandbox: {}, bot: {}}
`

const demoToken = "a-demo-token-of-32-characters-00"

const trailOf = (host: TestHost, seq: number, cursor?: string) => host.get("/api/inbox/:seq/trail", {seq, cursor})

const start = (setup: string, runtime: TestRuntime) =>
  startHost({config, runtime, env: {DEMO_TOKEN: demoToken}, plugins: {bot: pluginWith(setup)}, args: ["--no-watch"]})

describe.each(bunOr("node24"))("the trail of one message on $name", runtime => {
  test("lists arrival, attempts, log records and answers in order, even among many other messages", async () => {
    const host = await start(
      `plugin.on("message-created", async session => {
        if (session.text.startsWith("noise")) return
        plugin.log.info("thinking about " + session.text)
        await session.send("answer to " + session.text)
        if (session.text === "bad") throw new Error("as it happens")
      })`,
      runtime,
    )
    const good = await tell(host, {text: "good"})
    const bad = await tell(host, {text: "bad"})
    await messageIn(host, (await eventOf(host, good)).replies[0] ?? "", "sent")
    await eventOf(host, bad)
    const noise = await Promise.all(
      Array.from({length: 300}, (_, index) => tell(host, {text: `noise ${index}`, channel: `noise-${index % 30}`})),
    )
    await eventOf(host, Math.max(...noise))

    const trail = await trailOf(host, good)
    expect(trail.sent).toMatchObject([
      {text: "answer to good", channel: "chat", state: "sent", handler: trail.event.marks[0]?.handler},
    ])
    expect(trail.events).toMatchObject({isWhole: true})
    expect(entriesOf(trail).map(({what}) => what)).toEqual(["received", "began", "log", "stored", "event", "event"])
    expect(trail.events.items.map(({type}) => type)).toEqual(["message.received", "message.handled", "message.sent"])
    expect(trail.logs.items).toMatchObject([{message: "thinking about good", plugin: "bot", event: good}])

    const failed = await trailOf(host, bad)
    expect(failed.sent).toEqual([])
    expect(failed.events.items.map(({type}) => type)).toEqual(["message.received", "message.failed"])
    expect(failed.logs.items.map(({message}) => message)).toContain("thinking about bad")

    // The answer says which part was not searched. The next request continues there until the end of the log.
    let {next} = trail.events
    while (next !== null) {
      const later: Trail = await trailOf(host, good, next)
      expect(later.events.items).toEqual([])
      next = later.events.next
    }

    const {code, stdout} = await runCommand(host.project, `inbox trail ${good}`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/received +sandbox +good/)
    expect(stdout).toMatch(/log info +bot +thinking about good/)
    expect(stdout).toMatch(/message\.sent/)
    expect(stdout).toMatch(/event log: searched from \S+ to \S+/)
    expect(await printedJson(host.project, `inbox trail ${good} --json`)).toMatchObject({event: {seq: good}})
  })

  test("is refused for an unknown event and for a demo token", async () => {
    const host = await start("", runtime)
    const seq = await tell(host, {text: "hello"})
    await expectProblem(await host.fetch("/api/inbox/999/trail"), 404, "inbox_unknown")
    const demo = {headers: {authorization: `Bearer ${demoToken}`}}
    expect((await fetch(`${host.url}/api/inbox/${seq}/trail`, demo)).status).toBe(403)
    expect((await host.fetch(`/api/inbox/${seq}/trail?cursor=x`)).status).toBe(400)
  })
})
