import {readdirSync} from "node:fs"
import {expect, test} from "vitest"
import {Chance} from "../support/chance.ts"
import {makeCheckpoint} from "../support/checkpoints.ts"
import {printedJson} from "../support/command-line.ts"
import {startHost} from "../support/host.ts"
import {type Project, plainConfig} from "../support/project.ts"
import {expectSettled, killAtRename, killDuring, readState} from "../support/restore-kill-loop.ts"
import {onBun} from "../support/runtimes.ts"
import {needStrace} from "../support/strace.ts"

const rounds = Number(process.env.SVC_CHECKPOINT_KILL_ROUNDS ?? 5)

/** What is other than in the checkpoint. */
const changed = {configuration: `${plainConfig}log_level: debug\n`, lockfile: "new"}

const limit = 60_000 + rounds * 5000

/** A project whose state differs from that of its one checkpoint in every part. */
const changedProject = async (): Promise<{project: Project; id: string}> => {
  const host = await startHost({config: plainConfig, files: {"bun.lock": "old"}})
  await host.say("one")
  const {id} = await makeCheckpoint(host.project)
  await host.say("two")
  await host.stop()
  return {project: host.project, id}
}

test("a restore that is killed at any change of a name leaves the project wholly as before or wholly the checkpoint's", async context => {
  needStrace(context)
  const {project, id} = await changedProject()
  const outcomes: string[] = []
  for (let number = 1, isKilled = true; isKilled; number++) {
    project.write("svc.config.yml", changed.configuration)
    project.write("bun.lock", changed.lockfile)
    const before = await readState(project)
    isKilled = await killAtRename(onBun, project, ["checkpoint", "restore", id], number)
    await expectSettled(project)
    const after = await readState(project)
    const isBefore = after.lockfile === changed.lockfile
    expect(after).toEqual(
      isBefore ? before : {messages: 1, configuration: plainConfig, lockfile: "old", authorities: 1},
    )
    outcomes.push(isBefore ? "before" : "after")
  }
  // The record decides: from one change of a name on it is the checkpoint's.
  expect(outcomes.indexOf("after")).toBeGreaterThan(1)
  expect(outcomes.slice(outcomes.indexOf("after"))).not.toContain("before")
  expect(outcomes.length).toBeGreaterThan(10)
}, 180_000)

test(
  `a checkpoint whose making is killed ${rounds} times is never listed as one, and is cleaned up`,
  async () => {
    const {project, id} = await changedProject()
    const chance = new Chance(11)
    let killed = 0
    for (let round = 0; round < rounds; round++) {
      if (await killDuring(onBun, project, ["checkpoint", "create", "--no-verify"], 150 + chance.below(350))) killed++
      const {items, damaged} = await printedJson<{items: {id: string}[]; damaged: unknown[]}>(
        project,
        "checkpoint list",
      )
      expect(damaged).toEqual([])
      await expectSettled(project)
      const left = readdirSync(project.path(".svc/checkpoints")).filter(name => !name.includes("."))
      expect(left.sort()).toEqual(items.map(item => item.id).sort())
      expect(left).toContain(id)
    }
    expect(killed).toBeGreaterThan(0)
  },
  limit,
)
