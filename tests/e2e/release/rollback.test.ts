import {existsSync, readdirSync, statSync} from "node:fs"
import {expect, test} from "vitest"
import type {ReleaseEntry} from "../../../shared/api/release.ts"
import {expectSettled, killAt, killNumbers, readState} from "../../support/checkpoint/restore-kill-loop.ts"
import {printedJson, runCommand} from "../../support/host/command-line.ts"
import {copyGitProject, type GitProject} from "../../support/host/git-project.ts"
import {makeCheckpoint, onBun, onNode22, refusal, shared, startHost} from "../../support/host/host.ts"
import {needStrace} from "../../support/machine/strace.ts"
import {makeUpgradable, versions} from "../../support/release/upgrade.ts"

interface Result {
  readonly plan: {readonly sideEffects: {readonly sent: readonly {readonly endpoint: string}[]}}
  readonly restored: {readonly newAuthority: string}
  readonly proof: {readonly matches: boolean; readonly commit: string; readonly changes: readonly string[]}
}

/** The files and settings of a project that belong to its version. */
const filesOf = (project: GitProject) => ({
  commit: project.git("rev-parse", "HEAD"),
  status: project.git("status", "--porcelain"),
  plugin: project.read("plugins/notes.ts"),
  configuration: project.read("svc.config.yml"),
  lockfile: project.read("bun.lock"),
  onlyInOne: project.read("text/only/in-one.txt"),
  swapped: statSync(project.path("text/swap")).isDirectory(),
  executable: (statSync(project.path("run.sh")).mode & 0o111) !== 0,
  built: project.read("dist/plugins/notes.js"),
})

/** A project at its second version, with a checkpoint of the first. */
const first = shared(async () => {
  const {project, upgrade} = makeUpgradable()
  const host = await startHost({project})
  expect(await host.say("hello")).toEqual(["one hello"])
  const checkpoint = await makeCheckpoint(project)
  await host.stop()
  const one = filesOf(project)
  upgrade()
  await (await startHost({project})).stop()
  return {project, checkpoint, one, two: filesOf(project)}
})

const upgraded = () => ({...first(), project: copyGitProject(first().project)})

/** The same with a message that the second version sent. */
const upgradedAndSent = async () => {
  const made = upgraded()
  const host = await startHost({project: made.project})
  expect(await host.say("hello")).toEqual(["two hello"])
  await host.stop()
  return made
}

test("rollback restores code, lockfile, configuration and data together, and verifies the result", async () => {
  const {project, checkpoint, one} = await upgradedAndSent()
  const {code, stdout, stderr} = await runCommand(project, `rollback ${checkpoint.id} --accept-side-effects`)
  expect({code, stderr}).toEqual({code: 0, stderr: ""})
  expect(stdout).toContain(`to ${one.commit}: `)
  expect(stdout).toMatch(/^rolled back .*\bmatches\b/m)
  expect(filesOf(project)).toEqual(one)
  const {plugin, config: configuration, lockfile} = versions.one
  expect(one).toMatchObject({plugin, configuration, lockfile, status: "", onlyInOne: "one", swapped: false})
  expect(readdirSync(project.folder).filter(name => name.startsWith(".svc-"))).toEqual([])
  expect(readdirSync(project.path(".git")).filter(name => name.startsWith(".svc-"))).toEqual([])
  expect(project.git("fsck", "--no-dangling")).toBe("")
  expect(project.git("log", "--format=%s", "-1", "main")).toBe("the second version")
  const {entries} = await printedJson<{entries: ReleaseEntry[]}>(project, "release history")
  expect(entries).toMatchObject([{is: "rolled_back", checkpoint: checkpoint.id, commit: one.commit, sideEffects: 1}])
  expect(await (await startHost({project})).say("again")).toEqual(["one again"])
}, 600_000)

test("a rollback past sent messages is refused with a list until an operator accepts it", async () => {
  const {project, checkpoint, two} = await upgradedAndSent()
  const before = await readState(project)
  expect(await refusal(project, `rollback ${checkpoint.id}`)).toMatch(/sent since .*: 1\n {2}\S+ sandbox \S+ sent\n/)
  await refusal(project, `rollback ${checkpoint.id} --dry-run`)
  const {plan} = await printedJson<Result>(project, `rollback ${checkpoint.id} --dry-run --accept-side-effects`)
  expect(plan.sideEffects.sent).toMatchObject([{endpoint: "sandbox"}])
  expect(filesOf(project)).toEqual(two)
  expect(await readState(project)).toEqual(before)
  const quiet = upgraded()
  const {proof} = await printedJson<Result>(quiet.project, `rollback ${quiet.checkpoint.id}`)
  expect(proof).toMatchObject({matches: true, commit: quiet.one.commit, changes: []})
})

test("an uncommitted change of the configuration does not prevent a rollback, and a copy is kept", async () => {
  const {project, checkpoint, one, two} = upgraded()
  const mine = `${two.configuration}# a change of mine\n`
  project.write("svc.config.yml", mine)
  const dirty = await makeCheckpoint(project)
  const {plan} = await printedJson<{plan: {keepsConfiguration: boolean}}>(
    project,
    `rollback ${checkpoint.id} --dry-run`,
  )
  expect(plan.keepsConfiguration).toBe(true)
  const {code, stdout} = await runCommand(project, `rollback ${checkpoint.id}`)
  expect(code, stdout).toBe(0)
  expect(project.read(`svc.config.yml.before-${checkpoint.id}`)).toBe(mine)
  expect(stdout).toMatch(new RegExp(`^kept .* svc\\.config\\.yml\\.before-${checkpoint.id}$`, "m"))
  expect(filesOf(project)).toEqual({...one, status: `?? svc.config.yml.before-${checkpoint.id}`})
  expect(await refusal(project, `rollback ${dirty.id}`)).toContain(`?? svc.config.yml.before-${checkpoint.id}`)
  project.git("clean", "--quiet", "--force", ".")
  const back = await printedJson<Result>(project, `rollback ${dirty.id} --accept-side-effects`)
  expect(back.proof).toMatchObject({matches: true, commit: two.commit, changes: [" M svc.config.yml"]})
  expect(project.read("svc.config.yml")).toBe(mine)
})

test("a changed work tree, packages without their code, and a missing commit are refused", async () => {
  const {project, checkpoint, two} = upgraded()
  project.write("text/mine.txt", "mine")
  expect(await refusal(project, `rollback ${checkpoint.id}`)).toContain("?? text/mine.txt")
  expect(project.read("text/mine.txt")).toBe("mine")
  const dirty = await makeCheckpoint(project)
  project.git("clean", "--quiet", "--force", "text")
  expect(await refusal(project, `rollback ${dirty.id}`)).toMatch(/\bpackages\b.*\bcode\b/)
  project.git("checkout", "--quiet", "--orphan", "other")
  project.commit("another history")
  project.git("branch", "--quiet", "-D", "main", "next")
  project.git("reflog", "expire", "--expire=now", "--all")
  project.git("gc", "--quiet", "--prune=now")
  expect(await refusal(project, `rollback ${checkpoint.id}`)).toMatch(/\bthis repository\b/)
  expect(filesOf(project)).toMatchObject({lockfile: two.lockfile, configuration: two.configuration})
  await startHost({project})
  expect(await refusal(project, `rollback ${checkpoint.id}`)).toContain("svc runtime stop")
})

test("a rollback killed at any rename leaves code and data at the old state or the checkpoint's", async context => {
  needStrace(context)
  const {project, checkpoint, one} = upgraded()
  // Only the second version has a build; a Host in development runs the source.
  const build = () => project.write("dist/plugins/notes.js", "two")
  build()
  const two = filesOf(project)
  const outcomes: string[] = []
  for (const number of killNumbers()) {
    if (project.git("rev-parse", "HEAD") !== two.commit) {
      project.git("checkout", "--quiet", "main")
      build()
    }
    const {messages} = await readState(project)
    const isKilled = await killAt("rename", onNode22 ?? onBun, project, ["rollback", checkpoint.id, "--json"], number)
    await expectSettled(project)
    const now = filesOf(project)
    const isBefore = now.commit === two.commit
    expect(now).toEqual(isBefore ? two : one)
    expect(await readState(project)).toMatchObject({authorities: 1, messages: isBefore ? messages : 1})
    outcomes.push(isBefore ? "before" : "after")
    if (!isKilled) break
  }
  expect(outcomes[0]).toBe("before")
  // What a killed rollback has prepared spares the next one some calls: in between, outcomes have no order.
  expect(outcomes.at(-1)).toBe("after")
  expect(existsSync(project.path(".svc/restore.json"))).toBe(false)
  // Each rollback that took effect is recorded once.
  const {entries} = await printedJson<{entries: ReleaseEntry[]}>(project, "release history")
  expect(entries.filter(({is}) => is === "rolled_back")).toHaveLength(outcomes.filter(each => each === "after").length)
}, 600_000)
