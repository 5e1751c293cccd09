import {hash} from "node:crypto"
import {chmodSync, existsSync, readdirSync, readFileSync, rmSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {makeCheckpoint, refusal} from "../../support/checkpoint/checkpoints.ts"
import {killAt, killNumbers} from "../../support/checkpoint/restore-kill-loop.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {type GitProject, makeGitProject} from "../../support/host/git-project.ts"
import {
  bunOr,
  onBun,
  onNode22,
  pathWith,
  plainConfig,
  pluginWith,
  startHost,
  type TestHost,
  type TestRuntime,
} from "../../support/host/host.ts"
import {needStrace} from "../../support/machine/strace.ts"
import {makeUpgradable, versions} from "../../support/release/upgrade.ts"
import {allSteps, beginRelease, verifyRelease} from "../../support/release/verifications.ts"

const token = "5c1b8e0d7f3a4926b1c07e5d9a2f8843e6d07b19"

const production = {args: ["--mode", "production", "--no-watch"], env: {HTTP_TOKEN: token}}

/** A production project. Its build script runs `svc build`. */
const productionProject = (runtime: TestRuntime) => {
  const upgradable = makeUpgradable(config => config.replace("port: 0", "port: 0\n  token: ${HTTP_TOKEN}"), runtime)
  upgradable.project.write(".env", `HTTP_TOKEN=${token}\n`)
  chmodSync(upgradable.project.path(".env"), 0o600)
  return upgradable
}

const installedIn = (project: GitProject) => ({
  commit: project.git("rev-parse", "HEAD"),
  main: project.git("rev-parse", "main"),
  head: project.git("rev-parse", "--abbrev-ref", "HEAD"),
  status: project.git("status", "--porcelain"),
  plugin: project.read("plugins/notes.ts"),
  built: hash("sha256", readFileSync(project.path("dist/plugins/notes.js"))),
  text: project.read("built.txt"),
  farewell: existsSync(project.path("node_modules/farewell")),
  stamp: project.read("node_modules/.svc-lockfile").trim(),
})

const buildOf = async (host: TestHost) => (await host.get("/api/system/status")).build

/** A project installed by hand at its first version. Its Host runs, and the second version's release is verified. */
const verified = async (runtime = onBun) => {
  const {project, next} = productionProject(runtime)
  const {code, stderr} = await runCommand(project, "build", runtime)
  expect({code, stderr}).toEqual({code: 0, stderr: ""})
  const host = await startHost({own: true, ...production, project, runtime})
  expect(await host.say("hello")).toEqual(["one hello"])
  const {restorePoint} = await beginRelease(project, runtime)
  const {marks, release} = await verifyRelease(project, "next", runtime, {PATH: pathWith(onBun)})
  expect(marks).toEqual(allSteps)
  return {project, next, host, release, checkpoint: restorePoint?.checkpoint ?? ""}
}

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a release installs what was verified, completes once that runs, and a rollback restores the old answers", async () => {
    const {project, next, host, release, checkpoint} = await verified(runtime)
    const before = installedIn({...project, read: path => (existsSync(project.path(path)) ? project.read(path) : "")})
    const tried = release.verification?.build?.plugins ?? []
    expect(tried).toMatchObject([{name: "notes", origin: "built"}])
    expect(before).toMatchObject({text: "", head: "main", stamp: ""})

    const told = await printed(project, "release install", runtime)
    expect(told).toContain("fast-forwarded the branch main")
    expect(told).toContain("svc runtime restart")
    const after = installedIn(project)
    expect(after).toMatchObject({
      commit: next,
      main: next,
      head: "main",
      status: "",
      text: "two\n",
      farewell: true,
      built: tried[0]?.content,
      stamp: hash("sha256", project.read("bun.lock")),
    })
    expect(await printed(project, "release install", runtime)).toContain("(already installed)")
    // The Host still runs the old code, and svc does not mistake it for the new version.
    expect((await buildOf(host)).plugins.find(({name}) => name === "notes")?.content).toBe(before.built)
    expect(await refusal(project, "release complete --accepted-by dana")).toContain("svc runtime restart")
    await host.stop()

    const second = await startHost({own: true, ...production, project, runtime})
    await printed(project, "release complete --accepted-by dana", runtime)
    expect(await second.say("world")).toEqual(["two world"])
    expect(told).toContain(`installed  ${(await buildOf(second)).id}:`)
    expect(await buildOf(second)).toMatchObject({commit: next, dirty: false, installed: after.stamp, stale: []})
    await second.stop()

    const line = `rollback ${checkpoint} --accept-side-effects`
    const {plan, proof} = await printedJson<{plan: {build: string}; proof: {matches: boolean}}>(project, line, runtime)
    expect([plan.build, proof.matches]).toEqual(["kept", true])
    expect(hash("sha256", readFileSync(project.path("dist/plugins/notes.js")))).toBe(before.built)
    expect(existsSync(project.path("built.txt"))).toBe(true)
    const third = await startHost({own: true, ...production, project, runtime})
    await printed(project, "ingress resume --reason release", runtime)
    expect(await third.say("again")).toEqual(["one again"])
  }, 600_000)
})

test("without a kept build, a rollback builds before it changes anything, or says why it cannot", async () => {
  const {project, upgrade} = productionProject(onBun)
  await printed(project, "build")
  const host = await startHost({own: true, ...production, project})
  expect(await host.say("hello")).toEqual(["one hello"])
  const {id} = await makeCheckpoint(project)
  await host.stop()
  upgrade()
  await printed(project, "build")
  const again = await startHost({own: true, ...production, project})
  expect(await again.say("hello")).toEqual(["two hello"])
  await again.stop()

  const line = ["rollback", id, "--accept-side-effects"]
  expect((await runCommand(project, [...line, "--dry-run"])).stdout).toMatch(/\bno release\b/)
  const {code, stdout} = await runCommand(project, line)
  expect({code, stdout}).toMatchObject({code: 0})
  expect(stdout).toMatch(/^rolled back .*\bmatches\b/m)
  expect(existsSync(project.path("node_modules/greeting"))).toBe(true)
  expect(readdirSync(project.path(".svc/tmp"))).not.toContain("release")
  expect(await (await startHost({own: true, ...production, project})).say("again")).toEqual(["one again"])
}, 600_000)

test.each([{built: []}, {built: ["other"]}])(
  "a rollback removes builds of plugins but those of $built, which ran",
  async ({built}) => {
    const config = plainConfig.replace("port: 0", "port: 0\n  token: ${HTTP_TOKEN}")
    const project = makeGitProject({
      config: `${config}  notes: {}\n  other: {}\n`,
      plugins: {notes: versions.one.plugin, other: pluginWith("")},
      files: {".env": `HTTP_TOKEN=${token}\n`},
    })
    chmodSync(project.path(".env"), 0o600)
    const buildOnly = async (names: readonly string[]) => {
      await printed(project, "build")
      for (const name of ["notes", "other"]) if (!names.includes(name)) rmSync(project.path(`dist/plugins/${name}.js`))
    }
    if (built.length > 0) await buildOnly(built)
    const first = await startHost({own: true, ...production, project})
    const {restorePoint} = await beginRelease(project)
    const before = await buildOf(first)
    await first.stop()
    project.write("plugins/notes.ts", versions.two.plugin)
    project.commit("the second version")
    await buildOnly(["notes", "other"])

    const line = `rollback ${restorePoint?.checkpoint}`
    const {plan} = await printedJson<{plan: {build: string}}>(project, `${line} --dry-run`)
    expect(plan.build).toBe("surplus")
    const {code, stdout} = await runCommand(project, line)
    expect({code, stdout}).toMatchObject({code: 0, stdout: expect.stringMatching(/^rolled back .*\bmatches\b/m)})
    const [open = ""] = /(?<=svc )ingress resume --reason release$/m.exec(stdout) ?? []
    expect(["notes", "other"].filter(name => existsSync(project.path(`dist/plugins/${name}.js`)))).toEqual(built)
    const second = await startHost({own: true, ...production, project})
    expect(await buildOf(second)).toEqual(before)
    await printed(project, open)
    expect(await second.say("hello")).toEqual(["one hello"])
  },
  600_000,
)

test("begin refuses what its commit lacks, a checkpoint records it, and no rollback goes there", async () => {
  const {project} = productionProject(onBun)
  await printed(project, "build")
  const start = () => startHost({own: true, ...production, project})
  const first = await start()
  const config = project.read("svc.config.yml")
  project.write("svc.config.yml", `${config}log_level: debug\n`)
  await printed(project, "runtime reload")
  project.git("checkout", "--quiet", ".")
  expect(await refusal(project, "release begin")).toContain("svc.config.yml")
  await printed(project, "runtime reload")
  project.write("run.sh", "#!/bin/sh\n# later\n")
  const later = project.commit("later")
  expect(await refusal(project, "release begin")).toContain(project.git("rev-parse", "--short=12", "main~"))
  await first.stop()

  project.write("plugins/notes.ts", versions.one.plugin.replace('"one "', '"edited "'))
  await printed(project, "build")
  const second = await start()
  project.git("checkout", "--quiet", ".")
  expect(await refusal(project, "release begin")).toContain(`${later.slice(0, 12)}, `)
  expect(await second.get("/api/ingress")).toMatchObject({state: "open"})
  const {id, manifest} = await makeCheckpoint(project)
  const build = await buildOf(second)
  expect(manifest).toMatchObject({build, code: {commit: later, clean: false}})
  const shown = new RegExp(`^commit .*${later}\\nwarning .*\\bsvc rollback\\b.*\\nbuild .*${build.id}`, "m")
  expect(await printed(project, `checkpoint show ${id}`)).toMatch(shown)
  expect(await printedJson(project, `checkpoint verify ${id}`)).toMatchObject({
    ok: true,
    warnings: [expect.any(String)],
  })
  await second.stop()
  expect(await refusal(project, `rollback ${id} --accept-side-effects`)).toContain(id)
  await printed(project, "build")
  await start()
  expect(await beginRelease(project)).toMatchObject({state: "begun", restorePoint: {commit: later}})
}, 600_000)

test("an install killed at any rename leaves the complete old or new version", async context => {
  needStrace(context)
  const {project, next, host} = await verified()
  await host.stop()
  const old = {plugin: project.read("plugins/notes.ts"), commit: project.git("rev-parse", "HEAD")}
  const outcomes: string[] = []
  let calls = 0
  for (const number of killNumbers()) {
    const isKilled = await killAt("rename", onNode22 ?? onBun, project, ["release", "install"], number)
    await printed(project, "release history").catch(() => printed(project, "release history"))
    expect(existsSync(project.path(".svc/install.json"))).toBe(false)
    const isNew = project.git("rev-parse", "HEAD") === next
    expect(project.git("status", "--porcelain")).toBe("")
    expect(project.read("plugins/notes.ts") === old.plugin).toBe(!isNew)
    expect(existsSync(project.path("node_modules/farewell"))).toBe(isNew)
    expect(existsSync(project.path("built.txt"))).toBe(isNew)
    expect(readdirSync(project.folder).filter(name => name.startsWith(".svc-"))).toEqual([])
    outcomes.push(isNew ? "new" : "old")
    calls = number
    if (isNew || !isKilled) break
  }
  expect(outcomes[0]).toBe("old")
  expect(outcomes.at(-1)).toBe("new")
  expect(calls).toBeGreaterThan(8)
  const started = await startHost({own: true, ...production, project})
  await printed(project, "ingress resume --reason release")
  expect(await started.say("hello")).toEqual(["two hello"])
}, 600_000)

test("a production start with a stale build is refused, with the command that repairs it", async () => {
  const {project} = productionProject(onBun)
  await printed(project, "build")
  project.write("plugins/notes.ts", `${project.read("plugins/notes.ts")}\n// changed`)
  const {code, stderr} = await runCommand(project, "runtime start --mode production --no-watch")
  expect(code).toBe(1)
  expect(stderr).toMatch(/\bplugins\.notes: .*\bplugins\/notes\.ts\b/)
  expect(stderr).toContain("svc build")
  const host = await startHost({own: true, ...production, project, args: [...production.args, "--allow-stale"]})
  expect(await host.say("hello")).toEqual(["one hello"])
  expect((await buildOf(host)).stale).toEqual(["notes"])
  expect(await printed(project, "runtime status")).toContain("STALE: notes")
  const {stdout} = await runCommand(project, "doctor")
  expect(stdout).toMatch(/ build: .*: notes$/m)
  await host.stop()
  await printed(project, "build")
  expect((await buildOf(await startHost({own: true, ...production, project}))).stale).toEqual([])
})
