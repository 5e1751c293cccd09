import {mkdirSync, readFileSync, rmSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {makeCheckpoint, type RestoreResult, refusal, restore} from "../../support/checkpoint/checkpoints.ts"
import {
  expectSettled,
  keptConfigurations,
  killAt,
  killNumbers,
  readState,
} from "../../support/checkpoint/restore-kill-loop.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {copyGitProject, type GitProject, makeGitProject} from "../../support/host/git-project.ts"
import {runProcess, shared, startHost, svc, type TestHost, textsOf} from "../../support/host/host.ts"
import {makeFolder, makeProject, type Project, plainConfig} from "../../support/host/project.ts"
import {bunOr, onBun, onNode22, type TestRuntime} from "../../support/host/runtimes.ts"
import {needStrace} from "../../support/machine/strace.ts"
import {makeUpgradable, versions} from "../../support/release/upgrade.ts"

const filesOf = (project: Project) =>
  ["svc.config.yml", "package.json", "bun.lock", "plugins/notes.ts"].map(name => project.read(name))

/** A project at its second version. The checkpoint is of the first, and one message arrived since. */
const first = shared(async () => {
  const {project, upgrade} = makeUpgradable()
  const host = await startHost({project})
  expect(await host.say("early")).toEqual(["one early"])
  const {id} = await makeCheckpoint(project)
  await host.stop()
  const one = project.git("rev-parse", "HEAD")
  const two = upgrade()
  const again = await startHost({project})
  expect(await again.say("late")).toEqual(["two late"])
  await again.stop()
  return {project, id, one, two}
})

const upgraded = () => ({...first(), project: copyGitProject(first().project)})

/** Starts the project's Host. Resolves to the messages that it knows and its answer to a new one. */
const ask = async (project: Project, runtime: TestRuntime) => {
  const host: TestHost = await startHost({project, runtime})
  const heard = await textsOf(host)
  const answer = await host.say("hello")
  await host.stop()
  return {heard: heard.toSorted(), answer}
}

const refused = (project: Project, id: string, ...options: readonly string[]) =>
  refusal(project, ["checkpoint", "restore", id, ...options])

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a restore never puts old packages under newer code: it refuses, offers three ways, and changes nothing", async () => {
    const {project, id, one, two} = upgraded()
    const before = {files: filesOf(project), state: await readState(project)}
    const {code, stdout, stderr} = await runCommand(project, `checkpoint restore ${id}`, runtime)
    expect({code, stdout}).toEqual({code: 1, stdout: ""})
    expect(stderr).toContain(` ${id};`)
    expect(stderr).toContain(` ${two}, not ${one}\n`)
    expect(stderr).toContain("  package.json differs\n  bun.lock differs\n  hint: ")
    expect(stderr).toMatch(
      new RegExp(`hint: svc rollback ${id} rolls back code.* together\\. --data-only .*\\. --with-packages `),
    )
    const json = await runCommand(project, `checkpoint restore ${id} --json`, runtime)
    expect(JSON.parse(json.stderr)).toMatchObject({code: "restore_mismatch", status: 409})
    expect({files: filesOf(project), state: await readState(project)}).toEqual(before)
    expect(project.git("status", "--porcelain")).toBe("")
    expect(await ask(project, runtime)).toEqual({heard: ["early", "late"], answer: ["two hello"]})
  })

  test("--data-only restores only the data, and the newer code answers from it", async () => {
    const {project, id} = upgraded()
    const before = filesOf(project)
    const told = await printed(project, `checkpoint restore ${id} --data-only`, runtime)
    expect(told).toMatch(/^warning .*\bcode and packages\b.*--from-checkpoint/m)
    expect(filesOf(project)).toEqual(before)
    expect(project.git("status", "--porcelain")).toBe("")
    expect(await ask(project, runtime)).toEqual({heard: ["early"], answer: ["two hello"]})
  })

  test("the rollback that the refusal suggests brings the old code and its answers back", async () => {
    const {project, id, one} = upgraded()
    const [, command = ""] = /hint: (svc rollback \S+)/.exec(await refused(project, id)) ?? []
    await printed(project, `${command.replace("svc ", "")} --accept-side-effects`, runtime)
    expect(project.git("rev-parse", "HEAD")).toBe(one)
    expect(await ask(project, runtime)).toEqual({heard: ["early"], answer: ["one hello"]})
  })
})

test("a dry run prints the plan, and refuses in the same cases as the restore", async () => {
  const {project, id} = upgraded()
  const before = await readState(project)
  const {code, stdout, stderr} = await runCommand(project, `checkpoint restore ${id} --dry-run`)
  expect({code, stderr}).toEqual({code: 1, stderr: expect.stringMatching(/ bun\.lock differs\n +hint: svc rollback /)})
  expect(stdout).toContain(`would restore  ${id}`)
  expect(stdout).toMatch(/differs +bun.lock differs/)
  for (const option of ["--data-only", "--with-packages"]) {
    const plan = await printedJson<RestoreResult>(project, `checkpoint restore ${id} --dry-run ${option}`)
    expect(plan.mismatches).toHaveLength(3)
    expect(plan.differences).toEqual(expect.arrayContaining([...plan.mismatches, "svc.config.yml differs"]))
  }
  expect(await refused(project, id, "--data-only", "--with-packages")).toMatch(/--data-only and --with-packages /)
  expect(await readState(project)).toEqual(before)
})

const commandIn = (remediation: string): string =>
  /(?:rm \S+ && )?git checkout HEAD -- .*?(?= restores the committed)/.exec(remediation)?.[0] ?? ""

const doctorOf = async (project: Project) => {
  const {stdout} = await svc(onBun, project, ["doctor", "--static", "--json"])
  const {findings} = JSON.parse(stdout) as {findings: {check: string; level: string; remediation?: string}[]}
  return findings.find(({check}) => check === "lockfile")
}

test("--with-packages restores packages and configuration but not code, and doctor can revert it", async () => {
  const {project, id, one} = upgraded()
  const [configuration, manifest, lockfile, plugin] = filesOf(project)
  const told = await printed(project, `checkpoint restore ${id} --with-packages`)
  expect(told).toMatch(/next +bun install --frozen-lockfile; svc build; svc doctor, .*svc runtime start/)
  expect(told).toMatch(/^warning .*\bcode (?!and packages)/m)
  const after = filesOf(project)
  expect(after).toEqual([versions.one.config, expect.not.stringContaining("farewell"), versions.one.lockfile, plugin])
  expect(keptConfigurations(project)).toEqual([`svc.config.yml.before-${id}`])
  expect(project.read(`svc.config.yml.before-${id}`)).toBe(configuration)

  const found = await doctorOf(project)
  expect(found).toMatchObject({level: "error"})
  expect(found?.remediation).toContain(` ${one.slice(0, 7)}`)
  expect(found?.remediation).not.toMatch(/git (commit|add)/)
  const repaired = await runProcess(["sh", "-ec", commandIn(found?.remediation ?? "")], {cwd: project.folder})
  expect(repaired).toMatchObject({code: 0})
  expect(filesOf(project).slice(1)).toEqual([manifest, lockfile, plugin])
  expect(await doctorOf(project)).toMatchObject({level: "ok"})
})

test("doctor never suggests committing an old lockfile from another package manager", async () => {
  const project = makeGitProject({files: {"bun.lock": "{}\n"}})
  project.git("rm", "--quiet", "bun.lock")
  project.write("package-lock.json", "{}\n\n")
  project.commit("npm")
  const older = project.git("show", "HEAD~1:bun.lock")
  rmSync(project.path("package-lock.json"))
  project.write("bun.lock", `${older}\n`)
  const {remediation = ""} = (await doctorOf(project)) ?? {}
  expect(remediation).not.toMatch(/git (commit|add)/)
  expect(await runProcess(["sh", "-ec", commandIn(remediation)], {cwd: project.folder})).toMatchObject({code: 0})
  expect(project.git("status", "--porcelain")).toBe("")
  // A lockfile that was never committed may be the operator's own change.
  project.write("package-lock.json", "mine")
  expect((await doctorOf(project))?.remediation).toMatch(
    /^git diff HEAD -- package\.json package-lock\.json shows the difference/,
  )
})

test("a restore is refused if only the commit differs, and --with-packages restores configuration and data", async () => {
  const project = makeGitProject({config: plainConfig, files: {"bun.lock": "{}\n"}})
  await (await startHost({project})).stop()
  const {id} = await makeCheckpoint(project)
  project.write("README.md", "new")
  project.write("svc.config.yml", `${plainConfig}log_level: debug\n`)
  const commit = project.commit("a page")
  expect(await refused(project, id)).toMatch(
    new RegExp(`nothing was changed\n +the commit is ${commit}, not \\w{40}\n +hint`),
  )
  const {mismatches} = await restore(project, id, undefined, "--with-packages")
  expect(mismatches).toHaveLength(1)
  expect(project.git("status", "--porcelain").split("\n")).toEqual([
    "M svc.config.yml",
    `?? svc.config.yml.before-${id}`,
  ])
  expect(project.git("rev-parse", "HEAD")).toBe(commit)
})

test("a restore replaces a configuration that differs, and keeps a copy of each one", async () => {
  const project = makeGitProject({config: plainConfig})
  await (await startHost({project})).stop()
  const {id} = await makeCheckpoint(project)
  const texts = ["debug", "warn"].map(level => `${plainConfig}log_level: ${level}\n`)
  for (const text of texts) {
    project.write("svc.config.yml", text)
    const {notes, keptConfiguration} = await restore(project, id)
    expect(notes).toEqual([expect.stringMatching(new RegExp(`\\bgit\\b.* ${keptConfiguration}`))])
  }
  expect(keptConfigurations(project)).toEqual([`svc.config.yml.before-${id}`, `svc.config.yml.before-${id}-2`])
  expect(keptConfigurations(project).map(name => project.read(name))).toEqual(texts)
  expect(project.read("svc.config.yml")).toBe(plainConfig)
  // If git ignores the copies, as in a new project, there is no note. An identical configuration is not copied.
  const template = readFileSync(new URL("../../../cli/init/template/gitignore", import.meta.url), "utf8")
  project.write(".gitignore", template)
  expect(project.git("status", "--porcelain")).toBe("M .gitignore")
  expect(await restore(project, id)).toMatchObject({notes: [], keptConfiguration: null})
  project.write("svc.config.yml", texts[0] ?? "")
  expect(await restore(project, id)).toMatchObject({notes: [], keptConfiguration: `svc.config.yml.before-${id}-3`})
})

test("without git, a restore compares package.json and lockfile, and says what a rollback needs", async () => {
  const host = await startHost({files: {"bun.lock": "old"}})
  const {project} = host
  await host.stop()
  const {id} = await makeCheckpoint(project)
  const archive = project.path("backup.tar")
  await printed(project, ["checkpoint", "export", id, "--output", archive])
  for (const [name, text] of [
    ["bun.lock", "new"],
    ["package.json", "{}"],
    ["package-lock.json", "{}"],
  ] as const) {
    const before = project.read(name)
    project.write(name, text)
    for (const each of [id, archive]) {
      const told = await refused(project, each)
      expect(told).toMatch(new RegExp(`\\n  ${name} .*\\n  hint: `))
      expect(told).toMatch(/svc rollback .*\bgit\b.*\. --data-only .* --with-packages /)
    }
    if (before === "") rmSync(project.path(name))
    else project.write(name, before)
  }
  rmSync(project.path("bun.lock"))
  expect(await refused(project, id)).toContain("bun.lock is missing")
  await restore(project, archive, undefined, "--with-packages")
  expect(project.read("bun.lock")).toBe("old")
})

test("in a clone, a refused archive names the commit to check out, and restores there", async () => {
  const {project, id, one} = upgraded()
  await printed(project, ["checkpoint", "export", id, "--output", project.path(".svc/backup.tar")])
  const folder = makeFolder()
  project.git("clone", "--quiet", project.folder, folder)
  const clone = {...makeProject(), folder, path: (...parts: string[]) => [folder, ...parts].join("/")}
  const archive = project.path(".svc/backup.tar")
  expect(await refused(clone, archive)).toContain(`hint: git checkout --detach ${one}, then restore`)
  project.git("-C", folder, "checkout", "--quiet", "--detach", one)
  expect(await restore(clone, archive)).toMatchObject({isNew: false, differences: [], keptConfiguration: null})
})

test("a restore fills an empty folder inside a work tree, and --data-only needs a configuration", async () => {
  const {project, id} = upgraded()
  const archive = project.path(".svc/backup.tar")
  await printed(project, ["checkpoint", "export", id, "--output", archive])
  const folder = project.path("data/elsewhere")
  mkdirSync(folder, {recursive: true})
  const other = {...project, folder, path: (...parts: string[]) => [folder, ...parts].join("/")}
  expect(await refused(other, archive, "--data-only")).toMatch(
    /there is no \S+svc.config.yml, .*\n +hint: Leave out --data-only/,
  )
  const told = await printed(other, ["checkpoint", "restore", archive])
  expect(told).toMatch(/svc\.config\.yml, package\.json, lockfile\b/)
  expect(told).toMatch(/next .*\.env .*; bun install --frozen-lockfile; svc build; svc doctor/)
  expect(readFileSync(other.path("bun.lock"), "utf8")).toBe(versions.one.lockfile)
})

test("a rollback copies the replaced configuration only if git does not have it", async () => {
  const {project, id} = upgraded()
  await printed(project, `rollback ${id} --accept-side-effects`)
  expect(keptConfigurations(project)).toEqual([])
  const ignored: GitProject = makeGitProject({
    files: {".gitignore": "node_modules\n.svc\ndata\ndist\nsvc.config.yml*\n", "bun.lock": "{}\n"},
  })
  await (await startHost({project: ignored})).stop()
  const checkpoint = await makeCheckpoint(ignored)
  ignored.write("svc.config.yml", `${plainConfig}log_level: debug\n`)
  await printed(ignored, `rollback ${checkpoint.id} --accept-side-effects`)
  expect(ignored.read("svc.config.yml")).toBe(plainConfig)
  expect(ignored.read(`svc.config.yml.before-${checkpoint.id}`)).toContain("log_level: debug")
})

test("reverting a restore also reverts the kept configuration, even if it is killed at any point", async context => {
  needStrace(context)
  const host = await startHost({own: true, config: plainConfig})
  const {project} = host
  await host.stop()
  const {id} = await makeCheckpoint(project)
  const changed = `${plainConfig}log_level: debug\n`
  const kept = `svc.config.yml.before-${id}`
  const swap = (name: string, place: string) => ({target: name, staged: `.svc-restore/new/${name}`, kept: place})
  const record = {
    state: "swapping",
    checkpoint: id,
    folders: [".svc-restore"],
    swaps: [swap("svc.config.yml", kept), swap("gone.json", ".svc-restore/old/gone.json")],
  }
  let calls = 0
  for (const number of killNumbers()) {
    // A restore that was interrupted after it replaced the configuration, and cannot be completed.
    for (const name of ["new", "old"]) mkdirSync(project.path(".svc-restore", name), {recursive: true})
    project.write(kept, changed)
    project.write("svc.config.yml", plainConfig)
    project.write(".svc/restore.json", JSON.stringify(record))
    const isKilled = await killAt("rename", onNode22 ?? onBun, project, ["checkpoint", "list"], number)
    const {stderr} = await runCommand(project, "checkpoint list")
    if (!isKilled) expect(stderr).toBe("")
    await expectSettled(project)
    expect(project.read("svc.config.yml")).toBe(changed)
    expect(keptConfigurations(project)).toEqual([])
    if (!isKilled) break
    calls = number
  }
  expect(calls).toBeGreaterThan(2)
})
