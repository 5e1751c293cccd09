import {readdirSync} from "node:fs"
import {expect, test} from "vitest"
import {expectSettled, readState} from "../../support/checkpoint/restore-kill-loop.ts"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {makeCheckpoint, onBun, onNode22, plainConfig, startHost} from "../../support/host/host.ts"
import {needStrace, startWithFailingSync} from "../../support/machine/strace.ts"

/** The numbers of the fsync calls to fail, for each command. */
const failing = {create: [1, 4, 11], restore: [3, 22, 41, 50, 51, 52]}

test("a failing fsync leaves each checkpoint and each restore complete or without effect", async context => {
  needStrace(context)
  const host = await startHost({own: true, config: plainConfig, files: {"bun.lock": "old"}})
  const {project} = host
  await host.say("one")
  const {id} = await makeCheckpoint(project)
  await host.say("two")
  await host.stop()
  const run = async (args: readonly string[], when: number) => {
    const {command} = onNode22 ?? onBun
    const {code, stderr} = await startWithFailingSync([...command, ...args], when, project.folder).finished
    expect({args, when, stderr}).toMatchObject({stderr: expect.not.stringMatching(/\n\s+at /)})
    return code === 0 ? "done" : stderr.includes("was interrupted") ? "cut off" : "refused"
  }
  const outcomes: string[] = []
  let known = [id]
  for (const when of failing.create) {
    const outcome = await run(["checkpoint", "create", "--no-verify"], when)
    const {items} = await printedJson<{items: {id: string}[]}>(project, "checkpoint list")
    const fresh = items.map(item => item.id).filter(each => !known.includes(each))
    expect(fresh).toHaveLength(outcome === "done" ? 1 : 0)
    expect(
      readdirSync(project.path(".svc/checkpoints"))
        .filter(name => !name.includes("."))
        .sort(),
    ).toEqual([...known, ...fresh].sort())
    for (const each of fresh)
      expect(await printed(project, ["checkpoint", "verify", each])).toContain("can be restored")
    known = [...known, ...fresh]
    outcomes.push(`create ${outcome}`)
  }
  for (const when of failing.restore) {
    const changed = `${plainConfig}log_level: debug\n`
    project.write("svc.config.yml", changed)
    const before = await readState(project)
    const outcome = await run(["checkpoint", "restore", id], when)
    // The next command completes or reverts an interrupted restore.
    await runCommand(project, "release history")
    await expectSettled(project)
    const after = await readState(project)
    const checkpoint = {...before, messages: 1, configuration: plainConfig, kept: [...before.kept, changed]}
    if (outcome === "cut off") expect([before, checkpoint]).toContainEqual(after)
    else expect(after).toEqual(outcome === "done" ? checkpoint : before)
    outcomes.push(`restore ${outcome}`)
  }
  process.stdout.write(`failing fsync: ${outcomes.join(", ")}\n`)
  expect(outcomes).toContain("create refused")
  expect(outcomes).toContain("restore refused")
  expect(outcomes).toContain("restore done")
}, 600_000)
