import {readFileSync, writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {urlOf} from "../../support/docs/documented-commands.ts"
import {readDocuments} from "../../support/docs/documents.ts"
import {clientOf, makeReadersProject, readerOf, readersToken} from "../../support/docs/reader-project.ts"
import {bunOr, type Project, pluginWith, until} from "../../support/host/host.ts"
import {hangingOn, linePlugin} from "../../support/plugins/line-plugin.ts"

const configOf = (plugins: string) => `http: {port: 0, token: "\${HTTP_TOKEN}"}\nplugins: {sandbox: {}, ${plugins}}\n`

const say = async (project: Project, text: string, more: object = {}) =>
  (await clientOf(project).plugin<{sn: number}>("/api/plugins/sandbox/messages", {text, ...more})).sn

const untilEvent = (project: Project, seq: number, ...states: readonly string[]) =>
  until(`event ${seq} to be ${states.join(" or ")}`, async () =>
    states.includes((await clientOf(project).get("/api/inbox/:seq", {seq})).state),
  )

describe.each(bunOr("node24"))("on $name", runtime => {
  test("the commands of the page on delivery work for an event with a failed handler", async () => {
    const notes = pluginWith(`plugin.command("note add", () => { throw new Error("no room for notes") })`)
    const project = makeReadersProject({config: configOf("notes: {}"), plugins: {notes}})
    let seq = 0
    const reader = readerOf(
      project,
      () => ({" 42": ` ${seq}`}),
      {
        after: async line => {
          // A retry fails like the first attempt, and an event cannot be discarded twice.
          if (line.includes(" retry ")) await untilEvent(project, seq, "failed", "dead")
          if (line.includes(" discard ")) seq = await failing()
        },
      },
      runtime,
    )
    const failing = async () => {
      const sn = await say(project, "/note add")
      await untilEvent(project, sn, "failed", "dead")
      return sn
    }
    await reader.start()
    seq = await failing()
    await reader.run("docs/delivery.md", "Look at an event")
    expect(await clientOf(project).get("/api/inbox/:seq", {seq})).toMatchObject({
      event: {message: {content: "[redacted]"}},
    })
  }, 600_000)
})

test("the commands of the page on outages work for an event that waited too long", async () => {
  const door = pluginWith(`plugin.command("wait", () => new Promise(done => setTimeout(done, 2000)))
    plugin.command("open", {maxAge: "1s"}, () => "opened")`)
  const project = makeReadersProject({config: configOf("door: {}"), plugins: {door}})
  const expired = async () => {
    await say(project, "/wait")
    const sn = await say(project, "/open")
    await untilEvent(project, sn, "expired")
    return sn
  }
  let seq = 0
  const reader = readerOf(project, () => ({" 42": ` ${seq}`}), {
    after: async line => {
      if (!line.includes(" retry ")) return
      await untilEvent(project, seq, "handled")
      seq = await expired()
    },
  })
  await reader.start()
  seq = await expired()
  await reader.run("docs/operate/away.md", "What comes in")
  expect(await clientOf(project).get("/api/inbox/:seq", {seq})).toMatchObject({state: "discarded"})
}, 600_000)

const refusing = 'if (text === "no") throw refused("not here", {reason: "rejected", remediation: "Send another."})'

test("the commands for the outbox and for a backlog work for messages that the platform rejected", async () => {
  const project = makeReadersProject({
    config: configOf("line: {}"),
    plugins: {line: linePlugin(`${hangingOn("hang")}; ${refusing}`)},
  })
  const send = async (text: string, state: string) => {
    const {id} = await clientOf(project).post("/api/outbox", {body: {endpoint: "line", channel: text, text}})
    await until(
      `the message to be ${state}`,
      async () => (await clientOf(project).get("/api/outbox/:id", {id})).state === state,
    )
    return id
  }
  let failed = ""
  let unknown = ""
  const reader = readerOf(project, line => ({" ID": ` ${line.includes(" release ") ? unknown : failed}`}), {
    after: async line => {
      if (line.includes(" retry ")) failed = await send("no", "failed")
    },
  })
  await reader.start()
  unknown = await send("hang", "sending")
  failed = await send("no", "failed")
  // After the kill it is unknown whether the platform has the message.
  process.kill(JSON.parse(project.read(".svc/host.json")).pid, "SIGKILL")
  project.write("plugins/line.ts", linePlugin(refusing))
  await reader.start()
  await reader.run("docs/outbox.md", "Look at a message")
  expect((await clientOf(project).get("/api/outbox/:id", {id: unknown})).state).not.toBe("unknown")
  await reader.run("docs/operate/incident.md", "Cut a backlog")
}, 600_000)

test("the commands of the pages on events, the sandbox, users and uploads work", async () => {
  const project = makeReadersProject()
  writeFileSync(project.path("cat.png"), "a picture")
  const reader = readerOf(
    project,
    line => ({
      "irc~libera": "sandbox",
      "3aa44cb96936-41": epoch,
      // Without a terminal the command cannot ask for confirmation.
      ...(/^svc user forget (?!.*--dry-run)/.test(line) ? {"sandbox you": "sandbox you --yes"} : {}),
    }),
    {input: "/greet Ada\n"},
  )
  let epoch = ""
  await reader.start()
  await untilEvent(project, await say(project, "/greet Ada", {user: "you"}), "handled")
  const {items} = await clientOf(project).get("/api/events/history", {limit: 1})
  epoch = items[0]?.id ?? ""
  await reader.run("docs/events.md", "On the command line")
  await reader.run("docs/events.md", "The stream")
  await reader.run("docs/adapters/sandbox.md", "Set it up")
  await reader.run("docs/satori.md", "Connect another application")
  await reader.run("docs/satori.md", "Files")
  await reader.run("docs/privacy.md")
  expect(readFileSync(project.path("you.ndjson"), "utf8")).toContain("/greet Ada")
}, 600_000)

test("the commands of the pages on a first plugin and on timers work with the page's own plugin", async () => {
  const sourceOf = (page: string) =>
    readDocuments()
      .find(({path}) => path === page)
      ?.fences.find(({file}) => file.startsWith("plugins/"))?.text ?? ""
  const project = makeReadersProject({
    config: configOf("welcome: {}, reminders: {}"),
    plugins: {welcome: sourceOf("docs/plugins/first.md"), reminders: sourceOf("docs/plugins/timers.md")},
  })
  let id = ""
  const reader = readerOf(project, () => ({" ID": ` ${id}`}), {input: "/hello\n"})
  await reader.run("docs/plugins/first.md", "Run it")
  await untilEvent(project, await say(project, "/remind 5 tea", {user: "ada"}), "handled")
  id = (await clientOf(project).get("/api/timers")).items[0]?.id ?? ""
  await reader.run("docs/plugins/timers.md", "Look after timers")
  // Two were added, and the first one was cancelled.
  expect((await clientOf(project).get("/api/timers", {state: "waiting"})).items).toHaveLength(2)
}, 600_000)

test("the commands of the page on webhooks sign a message, and the bot gets it", async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const project = makeReadersProject({
    config: configOf('webhook: {endpoints: [{id: shop, secrets: ["${SHOP_WEBHOOK_SECRET}"]}]}'),
  })
  writeFileSync(project.path(".env"), `HTTP_TOKEN=${readersToken}\nSHOP_WEBHOOK_SECRET=${secret}\n`, {mode: 0o600})
  const reader = readerOf(project, () => ({"curl -i": "curl -i --fail"}), {env: {SHOP_WEBHOOK_SECRET: secret}})
  await reader.start()
  expect(urlOf(project)).not.toBe("")
  await reader.run("docs/adapters/webhook.md", "Set it up")
  const {items} = await clientOf(project).get("/api/inbox")
  expect(items).toMatchObject([{endpoint: "webhook~shop"}])
}, 600_000)
