import {describe, expect, test} from "vitest"
import {changeDatabase} from "../../support/database/databases.ts"
import {printedJson, runCommand} from "../../support/host/command-line.ts"
import {bunAnd, type Project, pluginWith, startHost, type TestHost, until} from "../../support/host/host.ts"

/** In milliseconds. */
const away = 72_000_000

/** A stand-in for a platform that delivers the commands of the file `queue` at each connection. */
const door = pluginWith(`
    const {readFile} = process.getBuiltinModule("node:fs/promises")
    plugin.adapter("door", {
      history: "replay",
      open: async (account, endpoint) => {
        const queued = JSON.parse(await readFile(join(plugin.project, "queue"), "utf8"))
        const [channel, user] = [{id: "c", type: 1}, {id: "ann"}]
        await endpoint.receive(queued.map(({n, timestamp}) => ({
          id: String(n), type: "message-created", timestamp, channel, user, message: {id: String(n), content: "/open " + n},
        })))
        return {send: async ({id}) => ({ids: [id]})}
      },
    })
    plugin.command("open <n>", async ({args}) => {
      while (!existsSync(join(plugin.project, "go"))) await sleep(10)
      note("open " + args.n)
    })`)

const queued = (to: number, timestamp: number) =>
  JSON.stringify(Array.from({length: to}, (_, index) => ({n: index + 1, timestamp})))

const countOf = async (host: TestHost, state: string) =>
  (await host.get("/api/inbox", {state, limit: 100})).items.length

describe.each(bunAnd("node24"))("a kill and 20 hours with 20 queued commands on $name", runtime => {
  const launch = (ingress: object, project?: Project) => {
    const config = JSON.stringify({http: {port: 0}, ingress, plugins: {door: {}}})
    project?.write("svc.config.yml", config)
    return startHost({
      own: true,
      runtime,
      config,
      plugins: {door},
      files: {queue: queued(5, Date.now())},
      ...(project === undefined ? {} : {project}),
    })
  }

  /** Kills a Host while five commands wait, and moves what it stored 20 hours back. */
  const leave = async () => {
    const first = await launch({})
    const {project} = first
    await until("the commands", async () => (await countOf(first, "open")) === 5)
    await first.stop("SIGKILL")
    const file = project.path(".svc/data.sqlite")
    const timestamp = `json_extract(event, '$.timestamp') - ${away}`
    await changeDatabase(
      file,
      `UPDATE inbox SET received_at = received_at - ${away}, event = json_set(event, '$.timestamp', ${timestamp})`,
    )
    const pasts = JSON.stringify({at: Date.now() - away, pasts: {door: {}}})
    await changeDatabase(file, `INSERT OR REPLACE INTO svc_meta (key, value) VALUES ('endpoints.pasts', '${pasts}')`)
    project.write("queue", queued(20, Date.now() - away / 2))
    project.write("go", "")
    return project
  }

  test("holds them with askAfter, over a restart too, until a person releases them in order", async () => {
    const project = await leave()
    const host = await launch({askAfter: "10m"}, project)
    await until("20 held commands", async () => (await countOf(host, "held")) === 20)
    await host.stop()
    const again = await launch({askAfter: "10m"}, project)
    expect(await countOf(again, "held")).toBe(20)
    expect(await countOf(again, "handled")).toBe(0)
    expect(await printedJson(project, "inbox discard --state held --older 1h --dry-run")).toMatchObject({count: 20})
    const found = JSON.parse((await runCommand(project, "doctor --json")).stdout)
    expect(found.findings).toContainEqual(expect.objectContaining({check: "inbox", level: "warning"}))
    expect((await runCommand(project, "inbox release --held")).stdout).toContain("20 events")
    await until("the commands", async () => (await countOf(again, "handled")) === 20)
    expect(project.read("notes.log").trim().split("\n")).toEqual(Array.from({length: 20}, (_, n) => `open ${n + 1}`))
  })

  test("handles them at once without it", async () => {
    const project = await leave()
    const host = await launch({}, project)
    await until("20 handled commands", async () => (await countOf(host, "handled")) === 20)
  })
})
