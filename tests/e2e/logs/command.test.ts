import {existsSync, readdirSync, readFileSync} from "node:fs"
import {expect, test} from "vitest"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {bunOr, expectProblem, onBun, startHost, svc, type TestHost} from "../../support/host/host.ts"
import {startProcess, until, untilPrinted} from "../../support/host/process.ts"
import {recordsIn, talkerHost} from "./talker.ts"

const say = (host: TestHost, text: string, times = 1) => host.plugin("/api/plugins/talker/say", {text, times})

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])

const env = {SVC_HTTP_TOKEN: talkerHost.env.HTTP_TOKEN}

test("svc logs prints the newest records in order, filtered by level and plugin, as lines or JSON", async () => {
  const host = await startHost({...talkerHost, files: {".env": `HTTP_TOKEN=${env.SVC_HTTP_TOKEN}\n`}})
  await say(host, "record", 5)
  expect((await printed(host.project, "logs --limit 2")).trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d info {2}record 4 plugin=talker requestId=/),
    expect.stringMatching(/record 5/),
  ])
  const all = recordsIn(await printed(host.project, "logs --json"))
  expect(all[0]).toMatchObject({id: `${host.runtimeId}-1`, level: "info", project: "scratch-bot"})
  expect(recordsIn(await printed(host.project, "logs --json --plugin talker"))).toHaveLength(5)
  expect(await printed(host.project, "logs --level error")).toBe("")
  for (const wrong of ["--level loud", "--limit 0", "--limit many"]) {
    const {code, stderr} = await runCommand(host.project, `logs ${wrong}`)
    expect({code, stderr}).toEqual({code: 1, stderr: expect.stringContaining("  hint: ")})
  }
  const refused = await svc(onBun, host.project, ["logs", "--follow"], {env: {SVC_HTTP_TOKEN: "wrong"}})
  expect({code: refused.code, stderr: refused.stderr}).toEqual({code: 1, stderr: expect.stringContaining("hint: ")})
  await expectProblem(await host.fetch("/api/logs?after=x"), 400, "request_invalid")
  expect(await printedJson(host.project, "logs --limit 1")).toMatchObject({message: "record 5"})
})

test("svc logs --follow continues across restarts, prints each record once, and reports missed ones", async () => {
  let host = await startHost(talkerHost)
  const {project} = host
  const follower = startProcess([...onBun.command, "logs", "--follow", "--json"], {cwd: project.folder, env})
  const followed = () => recordsIn(follower.stdout())
  const messages = () => followed().map(({message}) => message)
  const expected: string[] = []
  const sayAndSee = async (text: string) => {
    expected.push(text)
    await say(host, text)
    await until(text, () => messages().includes(text))
  }
  await sayAndSee("at first")
  for (const signal of ["SIGTERM", "SIGKILL", "SIGTERM"] as const) {
    await sayAndSee(`before ${signal} of ${host.runtimeId}`)
    await host.stop(signal)
    host = await startHost({own: true, ...talkerHost, project})
    await sayAndSee(`after it, in ${host.runtimeId}`)
  }
  expect(messages().filter(message => expected.includes(String(message)))).toEqual(expected)
  const missed = followed().flatMap(record => (record.missed === undefined ? [] : [record.missed]))
  expect(missed).toEqual(Array.from({length: 3}, () => ({reason: "restarted", records: null})))
  await untilPrinted(follower, /\boffline; .*\n/)

  await say(host, "flood", 2500)
  await sayAndSee("after the flood")
  const flooded = messages().filter(message => String(message).startsWith("flood "))
  const evicted = followed().flatMap(({missed: each}) => (each === undefined ? [] : [each as {records: number | null}]))
  const lost = evicted.reduce((sum, {records}) => sum + (records ?? 0), 0)
  expect(lost).toBeGreaterThan(0)
  expect(flooded.length + lost).toBe(2500)
  expect(new Set(flooded).size).toBe(flooded.length)
})

test("svc logs --follow ends when its output is closed", async () => {
  const host = await startHost(talkerHost)
  const follower = startProcess([...onBun.command, "logs", "--follow"], {cwd: host.project.folder, env})
  await untilPrinted(follower, "generation 1 committed")
  follower.child.stdout?.destroy()
  await say(host, "to nobody", 3)
  expect((await follower.finished).code).toBe(0)
})

test.each(bunOr("node24"))("an earlier run's log is read without a Host and over the API, on $name", async runtime => {
  const first = await startHost({own: true, ...talkerHost, runtime})
  const {project} = first
  const textOf = (name: string) => readFileSync(project.path(`.svc/logs/${name}`), "utf8")
  await say(first, "the last words")
  // A kill loses the records of the last moments.
  await until("the record to be on the disk", () =>
    namesIn(project.path(".svc/logs")).some(name => textOf(name).includes("the last words")),
  )
  await first.stop("SIGKILL")
  expect(await printed(project, "logs --run previous --limit 1")).toContain("the last words")
  expect(await printed(project, "logs --runs")).toContain(first.runtimeId)

  const second = await startHost({...talkerHost, project, runtime})
  await say(second, "of this run")
  const {items} = await second.get("/api/logs/runs")
  expect(items.map(({runtimeId}) => runtimeId)).toEqual([second.runtimeId, first.runtimeId])
  const earlier = await second.get("/api/logs", {run: first.runtimeId, limit: 1})
  expect(earlier.items[0]?.message).toBe("the last words")
  expect((await second.get("/api/logs", {run: "previous", limit: 1})).items[0]?.message).toBe("the last words")
  await expectProblem(await second.fetch("/api/logs?run=0000"), 404, "log_unknown")
  const {code, stderr} = await runCommand(project, "logs --run previous --follow")
  expect({code, stderr}).toEqual({code: 1, stderr: expect.stringContaining("leave out --run")})
})
