import {existsSync, readdirSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {readArchive} from "../../../server/recovery/checkpoint/archive.ts"
import {type RestoreResult, refusal} from "../../support/checkpoint/checkpoints.ts"
import {printed} from "../../support/host/command-line.ts"
import {startHost} from "../../support/host/host.ts"
import {runProcess} from "../../support/host/process.ts"
import {makeFolder, type Project, plainConfig} from "../../support/host/project.ts"
import {onBun} from "../../support/host/runtimes.ts"
import {Chance} from "../../support/machine/chance.ts"

/** A project with state, and archives of it. */
const archived = async (): Promise<{project: Project; plain: string; compressed: string}> => {
  const host = await startHost({files: {"bun.lock": "locked"}})
  await host.say("hello")
  await host.stop()
  const [plain, compressed] = [host.project.path("a.tar"), host.project.path("a.tar.gz")]
  await printed(host.project, ["checkpoint", "create", "--output", plain])
  await printed(host.project, ["checkpoint", "export", "newest", "--output", compressed])
  return {project: host.project, plain, compressed}
}

test("an archive that is cut short anywhere is none, and leaves nothing", async () => {
  const {project, plain, compressed} = await archived()
  const folder = makeFolder()
  const chance = new Chance(5)
  for (const archive of [plain, compressed]) {
    const bytes = readFileSync(archive)
    // Two empty blocks end a tar; without them everything is there.
    const needed = archive === plain ? bytes.length - 1024 : bytes.length
    const cuts = [0, 1, 511, 512, 513, needed - 1, ...Array.from({length: 40}, () => chance.below(needed))]
    for (const cut of cuts) {
      const short = join(folder, "short")
      writeFileSync(short, bytes.subarray(0, cut))
      const reading = readArchive(short, join(folder, "unpacked"))
      await expect(reading, `cut at ${cut} of ${bytes.length}`).rejects.toMatchObject({code: "checkpoint_invalid"})
      expect(existsSync(join(folder, "unpacked"))).toBe(false)
    }
    writeFileSync(project.path("short.tar"), bytes.subarray(0, bytes.length / 2))
    const before = readFileSync(project.path(".svc/authority.json"), "utf8")
    expect(await refusal(project, "checkpoint restore short.tar")).toContain("short.tar is not a checkpoint")
    expect(readFileSync(project.path(".svc/authority.json"), "utf8")).toBe(before)
  }
})

test("an archive comes in by standard input, and what is cut short there restores nothing", async () => {
  const {plain, compressed} = await archived()
  const folder = makeFolder()
  const command = [...onBun.command, "checkpoint", "restore", "-", "--json"].join(" ")
  const restoreFrom = (source: string) => runProcess(["sh", "-c", `${source} | ${command}`], {cwd: folder})
  const cut = await restoreFrom(`head -c 20000 ${plain}`)
  expect({code: cut.code, stderr: cut.stderr}).toEqual({
    code: 1,
    stderr: expect.stringContaining("the archive is not a checkpoint"),
  })
  expect(readdirSync(folder)).toEqual([".svc"])
  const whole = await restoreFrom(`cat ${compressed} | gunzip`)
  expect({code: whole.code, stderr: whole.stderr}).toEqual({code: 0, stderr: ""})
  expect(JSON.parse(whole.stdout) as RestoreResult).toMatchObject({projectFiles: "restored"})
  expect(readFileSync(join(folder, "svc.config.yml"), "utf8")).toBe(plainConfig)
  expect(readFileSync(join(folder, "bun.lock"), "utf8")).toBe("locked")
})
