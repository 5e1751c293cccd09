import {existsSync, readFileSync, statSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {makeCheckpoint} from "../../support/checkpoint/checkpoints.ts"
import {readHistoryOf} from "../../support/events/reader.ts"
import {posting} from "../../support/host/client.ts"
import {printed, runCommand} from "../../support/host/command-line.ts"
import {bunOr, fullAndDemo, type Project, pluginWith, startHost, type TestHost, until} from "../../support/host/host.ts"

const {env} = fullAndDemo
const files = {
  ".env": Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(""),
}

/** A plugin that keeps the user's words in every way that there is. */
const memo = pluginWith(`
    const words = plugin.state("user", Type.Object({last: Type.String({default: "nothing"})}))
    const remind = plugin.timer("remind", {data: Type.String()}, (session, text) => text)
    const sure = plugin.prompt("sure", {}, ({answer}) => "you said " + answer)
    plugin.command("keep <text:text>", async ({args, session}) => {
      await session.state(words).set({last: args.text})
      await session.setTimer(remind, {in: 3600000}, args.text)
      await plugin.send({endpoint: "sandbox", user: session.user.id}, "later: " + args.text, {at: Date.now() + 3600000})
      await session.prompt(sure, "sure about " + args.text + "?")
    })
    plugin.command("last", async ({session}) => (await session.state(words).get()).last)
    plugin.command("fail <text:text>", ({args}) => { throw new Error(args.text) })`)

const annSecret = "ann-has-a-secret"
const bobSecret = "bob-has-one-too"

const occurrences = (project: Project, word: string): readonly boolean[] =>
  ["", "-wal"]
    .map(end => project.path(`.svc/data.sqlite${end}`))
    .filter(existsSync)
    .map(file => readFileSync(file).includes(word))

const talk = async (host: TestHost, user: string, secret: string): Promise<void> => {
  await host.say(`/keep ${secret}`, {user, channel: `@${user}`})
  // The error of a handler also goes into an event `log.error`, which retention of the event log deletes.
  await host.say("/fail now", {user, channel: `@${user}`})
  await host.say(`all of you: ${secret}`, {user, channel: "town", group: true})
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map(line => JSON.parse(line) as Record<string, unknown>)

const partsOf = (lines: readonly Record<string, unknown>[]) => lines.map(({part}) => part)

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a user is exported as one document, and forgotten while the Host keeps the others", async () => {
    const host = await startHost({runtime, config: fullAndDemo.config("memo"), env, files, plugins: {memo}})
    const {project} = host
    const command = (line: string) => printed(project, line, runtime)
    await talk(host, "ann", annSecret)
    await talk(host, "bob", bobSecret)
    const checkpoint = await makeCheckpoint(project)

    const demo = {authorization: `Bearer ${env.DEMO_TOKEN}`}
    const forget = posting({endpoint: "sandbox", user: "ann"}, demo)
    expect((await host.fetch("/api/users/export?endpoint=sandbox&user=ann", {headers: demo})).status).toBe(403)
    expect((await host.fetch("/api/users/forget", forget)).status).toBe(403)

    await command("user export sandbox ann --output ann.ndjson")
    const lines = linesOf(readFileSync(project.path("ann.ndjson"), "utf8"))
    expect(statSync(project.path("ann.ndjson")).mode & 0o777).toBe(0o600)
    expect(partsOf(lines)).toEqual("user timers inbox inbox inbox outbox outbox outbox state prompts end".split(" "))
    expect(JSON.stringify(lines)).not.toContain(bobSecret)
    expect(linesOf(await command("user export sandbox ann")).slice(1)).toEqual(lines.slice(1))

    const refused = await runCommand(project, "user forget sandbox ann", runtime)
    expect(refused).toMatchObject({code: 1, stdout: expect.stringContaining("3 inbox events to redact")})
    expect(refused.stderr).toMatch(/\bhint: --yes\b/)
    expect(await command("user forget sandbox ann --dry-run")).toContain("1 timer to cancel")
    expect(occurrences(project, annSecret)).toContain(true)

    const done = await command("user forget sandbox ann --yes")
    for (const text of ["3 inbox events redacted", "1 timer cancelled", "1 value of plugin", "1 question ended"])
      expect(done).toContain(text)
    expect(done).toContain(`earlier checkpoints: ${checkpoint.id}`)
    expect(occurrences(project, annSecret)).toEqual([false, false])
    expect(occurrences(project, bobSecret)).toContain(true)
    const told = (await readHistoryOf(host)).filter(({type}) => type === "user.forgotten")
    expect(told.map(({data}) => data)).toContainEqual({part: "inbox", rows: 3})
    expect(JSON.stringify(told)).not.toContain("ann")

    // Forgetting Ann ended her question. Bob's is still open.
    expect(await host.say("yes", {user: "ann", channel: "@ann"})).toEqual([])
    expect(await host.say("yes", {user: "bob", channel: "@bob"})).toEqual(["you said yes"])
    expect(await host.say("/last", {user: "ann", channel: "@ann"})).toEqual(["nothing"])
    const {items} = await host.get("/api/timers")
    expect(items.map(({user}) => user)).toEqual(["bob"])
    const scheduled = await host.get("/api/outbox", {state: "scheduled"})
    expect(scheduled.items.map(({channel}) => channel)).toEqual(["user:bob"])

    await host.stop()
    expect(linesOf(await command("user export sandbox bob")).at(-1)).toMatchObject({part: "end", counts: {inbox: 4}})
    expect(await command("user forget sandbox bob --yes")).toContain("4 inbox events redacted")
    expect(occurrences(project, bobSecret).every(found => !found)).toBe(true)
  })

  test("forgetting a user waits for handlers that are still running", async () => {
    const slow = pluginWith(`
    let end = () => {}
    plugin.command("wait <text:text>", async ({args}) => {
      await new Promise(resolve => { end = resolve })
      return args.text
    })
    plugin.command("end", () => end())`)
    const host = await startHost({runtime, config: fullAndDemo.config("slow"), env, files, plugins: {slow}})
    await host.say(`hello ${annSecret}`, {user: "ann", channel: "@ann"})
    await host.plugin("/api/plugins/sandbox/messages", {text: `/wait ${annSecret}`, user: "ann", channel: "@ann"})
    await until("the handler to run", async () => (await host.get("/api/inbox", {state: "running"})).items.length === 1)
    const ended = runCommand(host.project, "user forget sandbox ann --yes", runtime)
    const isForgotten = async () => (await readHistoryOf(host)).some(({type}) => type === "user.forgotten")
    await until("everything else to be forgotten", isForgotten)
    await host.say("/end", {user: "bob", channel: "@bob"})
    expect(await ended).toMatchObject({code: 0, stdout: expect.stringContaining("2 inbox events redacted")})
    expect(occurrences(host.project, annSecret)).toEqual([false, false])
  })
})
