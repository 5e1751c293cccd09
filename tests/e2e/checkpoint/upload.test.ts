import {execFileSync} from "node:child_process"
import {cpSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {request} from "node:http"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {manifestName, sealManifest} from "../../../server/recovery/checkpoint/manifest.ts"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {makeCheckpoint, refusal} from "../../support/checkpoint/checkpoints.ts"
import {tarHeader} from "../../support/checkpoint/tar.ts"
import {printed, printedJson} from "../../support/host/command-line.ts"
import {expectProblem, makeFolder, type Project, startHost, type TestHost, until} from "../../support/host/host.ts"
import {problemsIn} from "../../support/host/problems-in.ts"
import {bunAnd, nodeOf, type TestRuntime} from "../../support/host/runtimes.ts"
import {fullAndDemo} from "../../support/host/tokens.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"

const {HTTP_TOKEN, DEMO_TOKEN} = fullAndDemo.env
const path = "/api/checkpoints/archive"

const folderOf = (project: Project) => project.path(".svc/checkpoints")
const namesOf = (project: Project) => readdirSync(folderOf(project)).sort()

const put = (host: TestHost, body: Uint8Array<ArrayBuffer>, token: string = HTTP_TOKEN) =>
  fetch(`${host.url}${path}`, {method: "PUT", body, headers: {authorization: `Bearer ${token}`}})

/** Waits for the end of a fully received upload. Resolves to its task. */
const ended = (host: TestHost) =>
  until("the upload to end", async () => {
    const {task} = await host.get(path)
    return task?.state !== "running" && task
  })

/** Makes an archive of a checkpoint, optionally changed first. The result need not be one that svc would write. */
const takeOut = (
  project: Project,
  id: string,
  change: (folder: string) => void = () => {},
): Uint8Array<ArrayBuffer> => {
  const copy = makeFolder()
  cpSync(join(folderOf(project), id), copy, {recursive: true})
  change(copy)
  const tar = join(makeFolder(), "out.tar")
  const names = readdirSync(copy).filter(name => name !== manifestName)
  execFileSync("tar", ["-cf", tar, "-C", copy, "--format=ustar", "--no-recursion", ...names, manifestName])
  return new Uint8Array(readFileSync(tar))
}

const remove = (project: Project, id: string) => {
  for (const name of namesOf(project)) if (name.startsWith(id)) rmSync(join(folderOf(project), name), {recursive: true})
}

const ends = Buffer.alloc(1024)
const archiveOf = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat([...parts, ends]))

/** Sends half of an archive. Resolves once the Host is unpacking it. */
const beginUpload = async (host: TestHost, bytes: Uint8Array) => {
  const {port} = new URL(host.url)
  const headers = {authorization: `Bearer ${HTTP_TOKEN}`, "content-length": bytes.length}
  const sent = request({port, host: "127.0.0.1", method: "PUT", path, headers})
  sent.on("error", () => {})
  sent.write(bytes.subarray(0, bytes.length / 2))
  await until("the Host to unpack", () => namesOf(host.project).some(name => name.endsWith(".tmp")))
  return sent
}

const startWithTokens = (runtime: TestRuntime, project?: Project) =>
  startHost({
    own: true,
    runtime,
    env: fullAndDemo.env,
    ...(project === undefined
      ? {
          config: `${fullAndDemo.config()}checkpoints:\n  every: 0s\n`,
          files: {".env": `HTTP_TOKEN=${HTTP_TOKEN}\nDEMO_TOKEN=${DEMO_TOKEN}\n`},
        }
      : {project}),
  })

describe.each(bunAnd("node24"))("on $name", runtime => {
  test("an uploaded checkpoint is verified, stored and marked, and is no backup of the project", async () => {
    const host = await startWithTokens(runtime)
    const {project} = host
    await host.say("hello")
    const {id: first} = await makeCheckpoint(project, runtime)
    const {id: own} = await makeCheckpoint(project, runtime)
    const archive = takeOut(project, first)
    remove(project, first)
    const before = namesOf(project)

    // This id sorts as the newest. The Host must not treat an uploaded checkpoint as the project's own.
    const newer = "29990101-000000-abcdef"
    const foreign = takeOut(project, own, folder => {
      const {seal: _, ...rest} = JSON.parse(readFileSync(join(folder, manifestName), "utf8")) as Manifest
      writeFileSync(join(folder, manifestName), sealManifest({...rest, id: newer}))
    })
    expect((await put(host, foreign)).status).toBe(202)
    expect(await ended(host)).toMatchObject({
      state: "failed",
      id: newer,
      problem: {code: "checkpoint_invalid", detail: expect.stringContaining(`marker is ${own}`)},
    })

    await expectProblem(await put(host, archive, DEMO_TOKEN), 403, "forbidden")
    await expectProblem(await put(host, new Uint8Array()), 422, "checkpoint_invalid")
    await expectProblem(await put(host, archive.slice(0, archive.length / 2)), 422, "checkpoint_invalid")
    for (const name of ["../escaped", "/etc/escaped", "a/../../escaped"])
      await expectProblem(await put(host, archiveOf(tarHeader(name, 0))), 422, "checkpoint_invalid")
    await expectProblem(await put(host, archiveOf(tarHeader("link", 0, "2"))), 422, "checkpoint_invalid")
    await expectProblem(
      await put(host, archiveOf(tarHeader("big", (70 * 1024 ** 3) / 10))),
      503,
      "checkpoint_no_space",
    ).catch(
      // A machine with that much space rejects the archive because it ends too early.
      async () => expectProblem(await put(host, archiveOf(tarHeader("big", 7 * 1024 ** 3))), 422, "checkpoint_invalid"),
    )
    const other = takeOut(project, own, folder => {
      const {seal: _, ...rest} = JSON.parse(readFileSync(join(folder, manifestName), "utf8")) as Manifest
      writeFileSync(join(folder, manifestName), sealManifest({...rest, reason: "another"}))
    })
    await expectProblem(await put(host, other), 409, "checkpoint_differs")
    expect(await (await put(host, takeOut(project, own))).json()).toMatchObject({id: own, state: "done"})
    expect(namesOf(project)).toEqual(before)

    const sent = await beginUpload(host, archive)
    await expectProblem(await put(host, archive), 409, "checkpoint_busy")
    sent.destroy()
    await until("the files to be removed", () => namesOf(project).join() === before.join())

    expect((await put(host, archive)).status).toBe(202)
    expect(await ended(host)).toMatchObject({state: "done", id: first, problem: null})
    const listed = await host.get("/api/checkpoints")
    // Both may have been made in the same second, so their order is open.
    const rows = Object.fromEntries(listed.items.map(({id, state, uploadedAt}) => [id, [state, uploadedAt === null]]))
    expect(rows).toEqual({[own]: ["verified", true], [first]: ["verified", false]})
    const {items} = await host.get("/api/events/history", {limit: 100})
    expect(items.map(({type}) => type)).toContain("checkpoint.uploaded")

    // Without a checkpoint of this project, the Host reports no backup, even if one was uploaded.
    remove(project, own)
    await host.process.child.kill("SIGKILL")
    await host.process.finished
    const next = await startWithTokens(runtime, project)
    expect(await next.get("/api/system/status")).toMatchObject({checkpoint: null})
    expect(problemsIn(await refusal(project, "checkpoint show newest"))).toEqual(["checkpoint_unknown"])
    expect(await printed(project, "checkpoint list")).toContain("verified, uploaded")

    await beginUpload(next, archiveOf(tarHeader("svc.config.yml", 100_000), new Uint8Array(400_000)))
    await next.stop("SIGKILL")
    expect(namesOf(project).some(name => name.endsWith(".tmp"))).toBe(true)
    const last = await startWithTokens(runtime, project)
    await until("the leftovers to be removed", () => !namesOf(project).some(name => name.endsWith(".tmp")))

    // User messages that hold a secret's value. A download rejects them too.
    await last.say(`my token is ${HTTP_TOKEN}`)
    const {id: leaking} = await printedJson<{id: string}>(project, "checkpoint create")
    const leak = takeOut(project, leaking)
    remove(project, leaking)
    expect((await put(last, leak)).status).toBe(202)
    expect(await ended(last)).toMatchObject({state: "failed", problem: {code: "checkpoint_secret_in_data"}})
    expect(namesOf(project).some(name => name.startsWith(leaking) || name.endsWith(".tmp"))).toBe(false)

    await last.stop()
    expect(await printed(project, ["checkpoint", "restore", first, "--dry-run"])).toContain(`would restore`)
  })
})

test("svc checkpoint import works with and without a Host, and keeps the minimum space free", async context => {
  needMounts(context)
  // The runtimes' fetch functions send streams differently.
  const node = nodeOf("node24")
  const host = await startHost()
  const {project} = host
  const {id} = await makeCheckpoint(project)
  const file = project.path("out.tar.gz")
  await printed(project, ["checkpoint", "export", id, "--output", file])
  expect(await printedJson(project, `checkpoint import ${file}`)).toMatchObject({id, isKnown: true})
  remove(project, id)
  expect(await printedJson(project, `checkpoint import ${file}`, node)).toMatchObject({
    id,
    isKnown: false,
    restore: `svc checkpoint restore ${id}`,
  })
  remove(project, id)
  await host.stop()
  expect(await printed(project, ["checkpoint", "import", file])).toContain("verified, uploaded")
  expect(problemsIn(await refusal(project, ["checkpoint", "import", project.path("svc.config.yml")]))).toEqual([
    "checkpoint_invalid",
  ])
  remove(project, id)

  // ingress.minimumFree is 100 MiB.
  mountDisk(folderOf(project), "64m")
  expect(await refusal(project, ["checkpoint", "import", file])).toContain("MiB must stay free")
  expect(namesOf(project)).toEqual([])
})
