import {existsSync, readdirSync, utimesSync} from "node:fs"
import {expect, test} from "vitest"
import {makeCheckpoint} from "../../support/checkpoint/checkpoints.ts"
import {
  expectSettled,
  killAt,
  killDuring,
  type ProjectState,
  readState,
  type steps,
} from "../../support/checkpoint/restore-kill-loop.ts"
import {printed, runCommand} from "../../support/host/command-line.ts"
import {startHost} from "../../support/host/host.ts"
import {makeProject, type Project, plainConfig} from "../../support/host/project.ts"
import {onBun, onNode22} from "../../support/host/runtimes.ts"
import {Chance} from "../../support/machine/chance.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {needStrace} from "../../support/machine/strace.ts"

const run = faultRun("checkpoint-kills")
const {rounds, seed} = run

/** What is other than in the checkpoint. */
const changed = {configuration: `${plainConfig}log_level: debug\n`, lockfile: "new"}

const limit = 120_000 + rounds * 20_000

/** A project whose state differs from that of its one checkpoint in every part. */
const changedProject = async (): Promise<{project: Project; id: string}> => {
  const host = await startHost({config: plainConfig, files: {"bun.lock": "old"}})
  await host.say("one")
  const {id} = await makeCheckpoint(host.project)
  await host.say("two")
  await host.stop()
  return {project: host.project, id}
}

const restoring = (id: string) => ["checkpoint", "restore", id, "--with-packages"]

const change = (project: Project): Promise<ProjectState> => {
  project.write("svc.config.yml", changed.configuration)
  project.write("bun.lock", changed.lockfile)
  return readState(project)
}

/** Wholly as before, or wholly the checkpoint's. */
const expectWhole = async (project: Project, before: ProjectState): Promise<"before" | "after"> => {
  const after = await readState(project)
  const isBefore = after.lockfile === changed.lockfile
  // The replaced configuration is kept with all else that is new, and not before.
  const kept = [...before.kept, changed.configuration]
  const restored = {messages: 1, configuration: plainConfig, lockfile: "old", authorities: 1, kept}
  expect(after).toEqual(isBefore ? before : restored)
  return isBefore ? "before" : "after"
}

/** Whatever is listed is there and whole, and nothing else is. */
const expectListed = async (project: Project, id: string): Promise<readonly string[]> => {
  // A command that finds a restore which was cut off says on stderr what it did about it.
  const {code, stdout} = await runCommand(project, "checkpoint list --json")
  expect(code).toBe(0)
  const {items, damaged} = JSON.parse(stdout) as {items: {id: string}[]; damaged: unknown[]}
  expect(damaged).toEqual([])
  await expectSettled(project)
  const left = readdirSync(project.path(".svc/checkpoints")).filter(name => !name.includes("."))
  expect(left.sort()).toEqual(items.map(item => item.id).sort())
  expect(left).toContain(id)
  return left.filter(each => each !== id)
}

test("a restore that is killed at any change of a name leaves the project wholly as before or wholly the checkpoint's", async context => {
  needStrace(context)
  const {project, id} = await changedProject()
  const outcomes: string[] = []
  for (let number = 1, isKilled = true; isKilled; number++) {
    const before = await change(project)
    isKilled = await killAt("rename", onNode22 ?? onBun, project, restoring(id), number)
    await expectSettled(project)
    outcomes.push(await expectWhole(project, before))
  }
  // The record decides: from one change of a name on it is the checkpoint's.
  expect(outcomes.indexOf("after")).toBeGreaterThan(1)
  expect(outcomes.slice(outcomes.indexOf("after"))).not.toContain("before")
  expect(outcomes.length).toBeGreaterThan(10)
}, 400_000)

test(
  `create, verify and restore killed ${rounds} times, at any moment and at any fsync or removal, lose nothing`,
  async context => {
    tellHowToRepeat(run)
    needStrace(context)
    const {project, id} = await changedProject()
    const chance = new Chance(seed)
    const killed = {create: 0, verify: 0, restore: 0}
    const outcomes = {before: 0, after: 0}
    const verified = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const action = (["create", "verify", "restore"] as const)[round % 3] ?? "create"
      const args =
        action === "restore" ? restoring(id) : ["checkpoint", action, ...(action === "create" ? ["--no-verify"] : [id])]
      const before = await change(project)
      const how = ([undefined, "sync", "unlink"] as const)[chance.below(3)]
      if (await killOnce(project, args, how, chance)) killed[action]++
      // A restore that was cut off is finished or taken back by whatever command comes next.
      const others = await expectListed(project, id)
      outcomes[await expectWhole(project, before)]++
      for (const other of others.filter(each => !verified.has(each))) {
        await printed(project, ["checkpoint", "verify", other])
        verified.add(other)
      }
    }
    await printed(project, ["checkpoint", "verify", id])
    process.stdout.write(
      `checkpoint kills: ${rounds} rounds, seed ${seed}, killed ${JSON.stringify(killed)}, left ${JSON.stringify(outcomes)}\n`,
    )
    expect(killed.create + killed.verify + killed.restore).toBeGreaterThan(rounds / 4)
  },
  limit,
)

const killOnce = (
  project: Project,
  args: readonly string[],
  how: Exclude<keyof typeof steps, "rename"> | undefined,
  chance: Chance,
): Promise<boolean> =>
  how === undefined
    ? killDuring(onBun, project, args, 150 + chance.below(700))
    : killAt(how, onBun, project, args, 1 + chance.below(how === "sync" ? 20 : 6))

test("copies that a killed verification left are removed by the next start, but not those that a command may work in", async () => {
  const names = ["host/verify-a", "verify-old", "archive-old", "verify-new"]
  const files = Object.fromEntries(names.map(name => [`.svc/tmp/${name}/database.sqlite`, "left"]))
  const project = makeProject({files})
  const yesterday = Date.now() / 1000 - 86_400
  for (const name of ["verify-old", "archive-old"]) utimesSync(project.path(".svc/tmp", name), yesterday, yesterday)
  const host = await startHost({project})
  expect(names.filter(name => existsSync(project.path(".svc/tmp", name)))).toEqual(["verify-new"])
  await makeCheckpoint(host.project)
})
