import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {makeCheckpoint, refusal, restore} from "../../support/checkpoint/checkpoints.ts"
import {changeDatabase} from "../../support/database/databases.ts"
import {printed, printedJson} from "../../support/host/command-line.ts"
import {bunOr, onBun, root, runProcess, startHost, story, svc, type TestHost, textsOf} from "../../support/host/host.ts"
import {problemsIn} from "../../support/host/problems-in.ts"
import {makeFolder, makeProject, type Project, plainConfig} from "../../support/host/project.ts"
import {mountDisk, mountReadOnly, needMounts} from "../../support/machine/disk.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const echo = pluginWith(`
    plugin.on("message-created", session => "got " + session.text)`)

const config = `${plainConfig}  echo: {}\n`

const started = (options: Parameters<typeof startHost>[0] = {}) => startHost({config, plugins: {echo}, ...options})

const authorityOf = async (host: TestHost) => (await host.get("/api/system/status")).authority

const projectAt = (folder: string): Project => ({
  ...makeProject(),
  folder,
  path: (...parts) => [folder, ...parts].join("/"),
})

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a running Host's checkpoint is verified, and restoring it removes everything newer", story, async () => {
    const host = await started({runtime, files: {"bun.lock": "locked"}})
    await host.say("before")
    const made = await makeCheckpoint(host.project, runtime)
    await host.say("after")
    const authority = await authorityOf(host)
    expect(made.manifest).toMatchObject({authority, generation: 1, runtimeId: host.runtimeId, reason: "operator"})
    const {checkpoint} = await host.get("/api/system/status")
    expect(checkpoint?.id).toBe(made.id)
    expect((await host.get("/api/system/readiness")).checkpoint?.id).toBe(made.id)
    expect((await host.stop()).code).toBe(0)
    host.project.write("svc.config.yml", `${config}log_level: debug\n`)
    host.project.write("bun.lock", "another")
    const restored = await restore(host.project, made.id, runtime, "--with-packages")
    expect(restored).toMatchObject({authority, projectFiles: "restored", notes: []})
    expect(host.project.read(restored.keptConfiguration ?? "")).toBe(`${config}log_level: debug\n`)
    expect([host.project.read("svc.config.yml"), host.project.read("bun.lock")]).toEqual([config, "locked"])
    expect(readdirSync(host.project.folder).filter(name => name.startsWith(".svc-"))).toEqual([])
    const again = await startHost({project: host.project, runtime})
    expect(await authorityOf(again)).toBe(restored.newAuthority)
    expect(restored.newAuthority).not.toBe(authority)
    expect(await textsOf(again)).toEqual(["before"])
    expect(await again.say("now")).toEqual(["got now"])
  })
})

test("svc checkpoint create makes a complete checkpoint of a stopped project", async () => {
  const host = await started()
  await host.say("hello")
  await host.stop()
  const {manifest} = await makeCheckpoint(host.project)
  expect(manifest).toMatchObject({runtimeId: null, generation: 1, project: "scratch-bot"})
  expect(manifest.files.map(({path}) => path)).toEqual(["database.sqlite", "package.json", "svc.config.yml"])
  expect(statSync(host.project.path(".svc/checkpoints", manifest.id)).mode & 0o777).toBe(0o700)
  expect(await printed(host.project, "checkpoint list")).toContain(`${manifest.id}  verified`)
  expect(await printed(host.project, "checkpoint show")).toContain(manifest.authority)
})

test("a restore is refused while a Host runs, and names that Host", async () => {
  const host = await started()
  const {id} = await makeCheckpoint(host.project)
  const text = await refusal(host.project, `checkpoint restore ${id}`)
  expect(text).toContain(`pid ${host.process.pid}`)
  expect(text).toContain("svc runtime stop")
  expect(await host.say("on")).toEqual(["got on"])
})

test("an archive restores into an empty folder, and gzip and streamed archives hold the same", async () => {
  const host = await started({files: {"bun.lock": "locked"}})
  await host.say("hello")
  const archive = host.project.path("backup.tar.gz")
  await printed(host.project, ["checkpoint", "create", "--output", archive])
  await host.stop()
  const folder = makeFolder()
  const other = projectAt(folder)
  const restored = await restore(other, archive)
  expect(restored).toMatchObject({projectFiles: "restored", isNew: true, differences: [], keptConfiguration: null})
  expect(readdirSync(folder).sort()).toEqual([".svc", "bun.lock", "package.json", "svc.config.yml"])
  expect(readFileSync(other.path("svc.config.yml"), "utf8")).toBe(config)
  expect(readFileSync(other.path("bun.lock"), "utf8")).toBe("locked")
  // The code comes from git.
  cpSync(host.project.path("plugins"), other.path("plugins"), {recursive: true})
  mkdirSync(other.path("node_modules"))
  symlinkSync(root, other.path("node_modules/svc-runtime"))
  const again = await startHost({project: other})
  expect(await textsOf(again)).toEqual(["hello"])
  expect(await authorityOf(again)).toBe(restored.newAuthority)
  const stream = host.project.path("stream.tar")
  const line = [...onBun.command, "checkpoint", "export", "newest", "--output", "-"].join(" ")
  expect((await runProcess(["sh", "-c", `${line} > ${stream}`], {cwd: host.project.folder})).code).toBe(0)
  expect(readFileSync(stream).includes("manifest.json")).toBe(true)
  expect(await printed(host.project, ["checkpoint", "verify", stream])).toContain("can be restored")
})

test("a restore works with data/ and .svc/ on separate disks, and refuses another lockfile or commit", async context => {
  needMounts(context)
  const files = {"bun.lock": "locked", "data/.keep": "", ".svc/.keep": ""}
  const onDisks = `${config}database:\n  filename: data/bot.sqlite\ningress:\n  minimumFree: 0\n`
  const project = makeProject({config: onDisks, plugins: {echo}, files})
  mountReadOnly(project.folder)
  mountDisk(project.path("data"), "32m")
  mountDisk(project.path(".svc"), "32m")
  const host = await startHost({project})
  await host.say("before")
  const {id} = await makeCheckpoint(project)
  await host.say("after")
  await host.stop()
  expect((await restore(project, id)).projectFiles).toBe("compared")
  expect(
    [readdirSync(project.path("data")), readdirSync(project.path(".svc"))]
      .flat()
      .filter(name => name.startsWith(".svc-")),
  ).toEqual([])
  const again = await startHost({project})
  expect(await textsOf(again)).toEqual(["before"])
  await again.stop()
  const other = await startHost({
    project: makeProject({config: onDisks, plugins: {echo}, files: {"bun.lock": "another"}}),
  })
  const archive = other.project.path("other.tar")
  await printed(other.project, ["checkpoint", "create", "--output", archive])
  const text = await refusal(project, ["checkpoint", "restore", archive])
  expect(text).toContain("bun.lock differs")
  expect(text).toMatch(/\bDeploy the image\b/)
  const at = (commit: string, ...args: readonly string[]) =>
    svc(onBun, project, ["checkpoint", ...args], {env: {SVC_COMMIT: commit.repeat(40)}})
  const made = JSON.parse((await at("a", "create", "--json")).stdout) as {id: string}
  const wrong = await at("b", "restore", made.id)
  expect({code: wrong.code, stderr: wrong.stderr}).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/ b{40}, not a{40}\n.*\bDeploy the image\b.* a{40}/),
  })
  expect((await at("a", "restore", made.id)).code).toBe(0)
})

test("no file of a checkpoint holds a secret, and the manifest lists the secrets' names", async () => {
  const token = "a-long-token-of-the-test/+="
  const host = await started({
    config: config.replace("port: 0", "port: 0\n  token: ${HTTP_TOKEN}"),
    files: {".env": `HTTP_TOKEN=${token}\n`},
  })
  await host.stop()
  const {manifest} = await makeCheckpoint(host.project)
  expect(manifest.secrets).toEqual(["HTTP_TOKEN"])
  for (const {path} of manifest.files) {
    expect(readFileSync(host.project.path(".svc/checkpoints", manifest.id, path)).includes(token)).toBe(false)
  }
  host.project.write("bun.lock", `"x": "https://:${encodeURIComponent(token)}@registry.example"`)
  const text = await refusal(host.project, "checkpoint create")
  expect(text).toMatch(/\bbun\.lock\b.*\bHTTP_TOKEN\b/)
  expect(problemsIn(text)).toEqual(["checkpoint_secret"])
  expect(text).not.toContain(token)
  expect(readdirSync(host.project.path(".svc/checkpoints")).filter(name => !name.includes("verified"))).toEqual([
    manifest.id,
  ])
})

test("prune keeps the newest checkpoints, and always the newest verified one", async () => {
  const host = await started()
  await host.stop()
  const verified = await makeCheckpoint(host.project)
  for (const _ of [1, 2, 3]) {
    await new Promise(resolve => setTimeout(resolve, 1100))
    await printed(host.project, "checkpoint create --no-verify")
  }
  const {removed} = await printedJson<{removed: string[]}>(host.project, "checkpoint prune --keep 1")
  expect(removed).toHaveLength(2)
  const {items} = await printedJson<{items: {id: string; state: string}[]}>(host.project, "checkpoint list")
  expect(items.map(({state}) => state)).toEqual(["complete", "verified"])
  expect(items[1]?.id).toBe(verified.id)
  expect(existsSync(host.project.path(".svc/checkpoints", removed[0] ?? ""))).toBe(false)
})

test.each(["database", "file"] as const)(
  "the workroom in store %s is restored to the checkpoint's moment, and works under the new authority",
  async store => {
    const host = await started({config: `${config}workroom:\n  store: ${store}\n`})
    const add = (title: string) => host.post("/api/workroom/items", {body: {title}})
    await add("before")
    const {id, manifest} = await makeCheckpoint(host.project)
    expect(manifest.parts.workroom).toMatchObject({store})
    await add("after")
    await host.stop()
    const inStopped = await makeCheckpoint(host.project)
    await restore(host.project, id)
    const titlesOf = async (running: TestHost) =>
      (await running.get("/api/workroom/items")).items.map(({title}) => title)
    const again = await startHost({project: host.project})
    expect(await titlesOf(again)).toEqual(["before"])
    await again.post("/api/workroom/items", {body: {title: "since"}})
    await again.stop()
    await restore(host.project, inStopped.id)
    expect((await titlesOf(await startHost({project: host.project}))).sort()).toEqual(["after", "before"])
  },
)

test("scheduled jobs are restored to the checkpoint's moment, and jobs that came due earlier do not fire", async () => {
  const host = await started()
  // Next due in half an hour, so not while the test runs.
  const from = new Date(Date.now() - 86_400_000 - 1_800_000).toISOString().replace(/\.\d+/, "")
  const job = (id: string, every: string) => ({
    id,
    schedule: {every, from},
    timezone: "Europe/London",
    missed: "all" as const,
    target: {endpoint: "sandbox", channel: "c", text: "due"},
  })
  await host.post("/api/jobs", {body: job("first", "1h")})
  const {id, manifest} = await makeCheckpoint(host.project)
  expect(manifest.parts.jobs).toMatchObject({jobs: 1})
  await host.post("/api/jobs", {body: job("second", "1h")})
  await host.stop()
  await changeDatabase(
    host.project.path(".svc/data.sqlite"),
    "UPDATE job_states SET considered_at = considered_at - 86400000",
  )
  const late = await makeCheckpoint(host.project)
  await restore(host.project, id)
  const idsOf = async (running: TestHost) => (await running.get("/api/jobs")).items.map(each => each.id)
  const again = await startHost({project: host.project})
  expect(await idsOf(again)).toEqual(["first"])
  await again.stop()
  await restore(host.project, late.id)
  const last = await startHost({project: host.project})
  expect(await idsOf(last)).toEqual(["first", "second"])
  expect((await last.get("/api/outbox")).items).toEqual([])
})
