import {existsSync, readdirSync, utimesSync} from "node:fs"
import {expect, test} from "vitest"
import {CheckpointStore} from "../../../server/recovery/checkpoint/store.ts"
import {makeCheckpoint} from "../../support/checkpoint/checkpoints.ts"
import {
  expectSettled,
  killAt,
  killDuring,
  killNumbers,
  type ProjectState,
  readState,
  type steps,
} from "../../support/checkpoint/restore-kill-loop.ts"
import {printed} from "../../support/host/command-line.ts"
import {Chance, makeProject, onBun, onNode22, type Project, plainConfig, startHost} from "../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {needStrace} from "../../support/machine/strace.ts"

const run = faultRun("checkpoint-kills")
const {rounds, seed} = run

/** The parts that differ from the checkpoint. */
const changed = {configuration: `${plainConfig}log_level: debug\n`, lockfile: "new"}

const limit = 120_000 + rounds * 20_000

/** Starts a project, makes one checkpoint, and changes every part of the state afterwards. */
const changedProject = async (): Promise<{project: Project; id: string}> => {
  const host = await startHost({own: true, config: plainConfig, files: {"bun.lock": "old"}})
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

/** Expects the state from before the restore, or the checkpoint's state, without mixing them. */
const expectWhole = async (project: Project, before: ProjectState): Promise<"before" | "after"> => {
  const after = await readState(project)
  const isBefore = after.lockfile === changed.lockfile
  // A completed restore keeps a copy of the configuration that it replaced.
  const kept = [...before.kept, changed.configuration]
  const restored = {messages: 1, configuration: plainConfig, lockfile: "old", authorities: 1, kept}
  expect(after).toEqual(isBefore ? before : restored)
  return isBefore ? "before" : "after"
}

/** Expects that every listed checkpoint is complete and no other files are left. Returns all ids except `id`. */
const expectListed = async (project: Project, id: string): Promise<readonly string[]> => {
  await expectSettled(project)
  const {checkpoints, damaged} = await new CheckpointStore(project.path(".svc/checkpoints")).list()
  expect(damaged).toEqual([])
  const left = readdirSync(project.path(".svc/checkpoints")).filter(name => !name.includes("."))
  expect(left.sort()).toEqual(checkpoints.map(each => each.id).sort())
  expect(left).toContain(id)
  return left.filter(each => each !== id)
}

test("a restore killed at any rename leaves either the old state or the checkpoint's state", async context => {
  needStrace(context)
  const {project, id} = await changedProject()
  const outcomes: string[] = []
  let calls = 0
  for (const number of killNumbers()) {
    const before = await change(project)
    const isKilled = await killAt("rename", onNode22 ?? onBun, project, restoring(id), number)
    await expectSettled(project)
    outcomes.push(await expectWhole(project, before))
    calls = number
    if (!isKilled) break
  }
  // The restore's record decides. From one rename on, the outcome is the checkpoint's state.
  expect(outcomes.indexOf("after")).toBeGreaterThan(1)
  expect(outcomes.slice(outcomes.indexOf("after"))).not.toContain("before")
  expect(calls).toBeGreaterThan(10)
}, 400_000)

test(
  `create, verify and restore lose nothing across ${rounds} kills at random moments, fsyncs and removals`,
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
      // The next command of any kind completes or reverts an interrupted restore.
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
    ? killDuring(onBun, project, args, 50 + chance.below(400))
    : killAt(how, onBun, project, args, 1 + chance.below(how === "sync" ? 20 : 6))

test("the next start removes copies of a killed verification, except those that a command may still use", async () => {
  const names = ["host/verify-a", "verify-old", "archive-old", "verify-new"]
  const files = Object.fromEntries(names.map(name => [`.svc/tmp/${name}/database.sqlite`, "left"]))
  const project = makeProject({files})
  const yesterday = Date.now() / 1000 - 86_400
  for (const name of ["verify-old", "archive-old"]) utimesSync(project.path(".svc/tmp", name), yesterday, yesterday)
  const host = await startHost({own: true, project})
  expect(names.filter(name => existsSync(project.path(".svc/tmp", name)))).toEqual(["verify-new"])
  await makeCheckpoint(host.project)
})
