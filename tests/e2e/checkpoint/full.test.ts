import {readdirSync, rmSync, statSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {CheckpointDetail} from "../../../shared/api/checkpoint.ts"
import {makeCheckpoint, refusal} from "../../support/checkpoint/checkpoints.ts"
import {bunOr, makeProject, type Project, printed, printedJson, startHost} from "../../support/host/host.ts"
import {fillDisk, mountDisk, needMounts} from "../../support/machine/disk.ts"

const mebibyte = 1024 ** 2

const checkpointsOf = async (project: Project) =>
  (await printedJson<{items: {id: string}[]}>(project, "checkpoint list")).items

const filesOf = (folder: string): readonly string[] => readdirSync(folder, {recursive: true, encoding: "utf8"})

/** The size of a folder's files on a tmpfs, which stores whole pages. */
const pagesOf = (folder: string): number =>
  filesOf(folder).reduce((sum, name) => sum + Math.ceil(statSync(`${folder}/${name}`).size / 4096) * 4096, 0)

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a full disk leaves no checkpoint, and the Host stays up and makes one once there is space", async context => {
    needMounts(context)
    const project = makeProject()
    const disk = mountDisk(project.path(".svc/checkpoints"), "24m")
    const host = await startHost({project, runtime})
    // svc copies the lockfile first. The first size exceeds the disk, the second leaves no room for the database.
    for (const size of [30 * mebibyte, 24 * mebibyte - 64 * 1024]) {
      project.write("bun.lock", new Uint8Array(size))
      expect(await refusal(project, "checkpoint create")).toMatch(
        /^svc: .*(ENOSPC|disk is full).*\n {2}hint: Free space, .*\bcheckpoints\b/,
      )
      expect(filesOf(project.path(".svc/checkpoints"))).toEqual([])
      expect(await checkpointsOf(project)).toEqual([])
    }
    const {checkpointFailure} = await host.get("/api/system/status")
    expect(checkpointFailure).toMatchObject({code: "checkpoint_failed"})
    expect(await host.say("/help")).toHaveLength(1)
    disk.resize("64m")
    const {id} = await makeCheckpoint(project, runtime)
    expect((await checkpointsOf(project)).map(item => item.id)).toEqual([id])
    expect((await host.stop()).code).toBe(0)
  })
})

test("a checkpoint without space for verification stays valid, and is verified once there is space", async context => {
  needMounts(context)
  const project = makeProject()
  const host = await startHost({project})
  await host.say("/help")
  await host.stop()
  const {id} = JSON.parse(await printed(project, "checkpoint create --no-verify --json")) as CheckpointDetail
  // Enough space for the copies, but not for SQLite's files beside them.
  const disk = mountDisk(project.path(".svc/tmp"), `${pagesOf(project.path(".svc/checkpoints", id)) / 1024}k`)
  for (const _ of ["while it is opened", "while it is copied"]) {
    expect(await refusal(project, `checkpoint verify ${id}`)).toMatch(
      /could not verify .*\n {2}hint: Free space for .*\.svc\/tmp/,
    )
    expect(readdirSync(project.path(".svc/tmp")).filter(name => name !== "filling")).toEqual([])
    expect(await printedJson<CheckpointDetail>(project, `checkpoint show ${id}`)).toMatchObject({state: "complete"})
    fillDisk(project.path(".svc/tmp"))
  }
  rmSync(project.path(".svc/tmp/filling"))
  disk.resize("16m")
  expect(await printed(project, `checkpoint verify ${id}`)).toContain("can be restored")
})

test("a restore without enough space changes nothing, and succeeds once there is space", async context => {
  needMounts(context)
  const project = makeProject()
  const disk = mountDisk(project.path("data"), "16m")
  project.write(
    "svc.config.yml",
    "http: {port: 0}\ningress: {minimumFree: 0}\ndatabase: {dialect: sqlite, filename: data/bot.sqlite}\nplugins: {sandbox: {}}\n",
  )
  const host = await startHost({project})
  await host.say("/help")
  const made = await makeCheckpoint(project)
  await host.say("/help")
  await host.stop()
  const authority = project.read(".svc/authority.json")
  fillDisk(project.path("data"))
  expect(await refusal(project, ["checkpoint", "restore", made.id])).toMatch(
    /nothing was restored: .*(ENOSPC|disk is full)/,
  )
  expect(project.read(".svc/authority.json")).toBe(authority)
  for (const folder of ["", ".svc", "data"])
    expect(readdirSync(project.path(folder)).filter(name => name.startsWith(".svc-"))).toEqual([])
  rmSync(project.path("data/filling"))
  const again = await startHost({project})
  expect((await again.get("/api/inbox")).items).toHaveLength(2)
  await again.stop()
  disk.resize("32m")
  await printed(project, ["checkpoint", "restore", made.id])
  expect(project.read(".svc/authority.json")).not.toBe(authority)
})
