import {cpSync, createWriteStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {Readable} from "node:stream"
import {pipeline} from "node:stream/promises"
import {createGzip} from "node:zlib"
import {expect, test} from "vitest"
import {readArchive} from "../../../server/recovery/checkpoint/archive.ts"
import {type ArchiveLimits, archiveLimits} from "../../../server/recovery/checkpoint/archive-source.ts"
import {manifestName, sealManifest} from "../../../server/recovery/checkpoint/manifest.ts"
import {sha256Of} from "../../../server/runtime/files.ts"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {makeCheckpoint, type RestoreResult, refusal} from "../../support/checkpoint/checkpoints.ts"
import {tarHeader} from "../../support/checkpoint/tar.ts"
import {bunAnd, Chance, expectProblem, onBun, printed, runProcess, startHost, svc} from "../../support/host/host.ts"
import {problemsIn} from "../../support/host/problems-in.ts"
import {makeFolder, type Project, plainConfig} from "../../support/host/project.ts"
import {fullAndDemo} from "../../support/host/tokens.ts"

/** A stopped project with state, and two archives of it. */
const archived = async (): Promise<{project: Project; plain: string; compressed: string}> => {
  const host = await startHost({files: {"bun.lock": "locked"}})
  await host.say("hello")
  await host.stop()
  const [plain, compressed] = [host.project.path("a.tar"), host.project.path("a.tar.gz")]
  await printed(host.project, ["checkpoint", "create", "--output", plain])
  await printed(host.project, ["checkpoint", "export", "newest", "--output", compressed])
  return {project: host.project, plain, compressed}
}

test("a truncated archive is rejected wherever it is cut, and leaves no files", async () => {
  const {project, plain, compressed} = await archived()
  const folder = makeFolder()
  const chance = new Chance(5)
  for (const archive of [plain, compressed]) {
    const bytes = readFileSync(archive)
    // A tar ends with two empty blocks, which a reader does not need.
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
    expect(problemsIn(await refusal(project, "checkpoint restore short.tar"))).toEqual(["checkpoint_invalid"])
    expect(readFileSync(project.path(".svc/authority.json"), "utf8")).toBe(before)
  }
})

test("restore reads an archive from standard input, and restores nothing from a truncated one", async () => {
  const {plain, compressed} = await archived()
  const folder = makeFolder()
  const command = [...onBun.command, "checkpoint", "restore", "-", "--json"].join(" ")
  const restoreFrom = (source: string) => runProcess(["sh", "-c", `${source} | ${command}`], {cwd: folder})
  const cut = await restoreFrom(`head -c 20000 ${plain}`)
  expect({code: cut.code, problem: JSON.parse(cut.stderr)}).toMatchObject({
    code: 1,
    problem: {code: "checkpoint_invalid"},
  })
  expect(readdirSync(folder)).toEqual([])
  const whole = await restoreFrom(`cat ${compressed} | gunzip`)
  expect({code: whole.code, stderr: whole.stderr}).toEqual({code: 0, stderr: ""})
  expect(JSON.parse(whole.stdout) as RestoreResult).toMatchObject({projectFiles: "restored"})
  expect(readFileSync(join(folder, "svc.config.yml"), "utf8")).toBe(plainConfig)
  expect(readFileSync(join(folder, "bun.lock"), "utf8")).toBe("locked")
})

test("a restore that is refused after svc has copied everything leaves nothing, not even the folder that it made", async () => {
  const host = await startHost({config: `${plainConfig}database: {filename: bot.sqlite}\n`})
  await host.stop()
  const {id} = await makeCheckpoint(host.project)
  const folder = makeFolder()
  const [copy, target] = [join(folder, id), join(folder, "new")]
  cpSync(host.project.path(".svc/checkpoints", id), copy, {recursive: true})
  const restore = [...onBun.command, "checkpoint", "restore", copy, "--json", "--project", target]
  const [name, whole] = ["database.sqlite", readFileSync(join(copy, "database.sqlite"))]
  const {seal: _, ...manifest} = JSON.parse(readFileSync(join(copy, manifestName), "utf8")) as Manifest
  const changed = Buffer.alloc(whole.length)
  const files = manifest.files.map(file => (file.path === name ? {...file, sha256: sha256Of(changed)} : file))
  writeFileSync(join(copy, name), changed)
  writeFileSync(join(copy, manifestName), sealManifest({...manifest, files}))
  const refused = await runProcess(restore, {cwd: folder})
  expect({code: refused.code, problem: JSON.parse(refused.stderr)}).toMatchObject({
    code: 1,
    problem: {code: "checkpoint_invalid"},
  })
  expect(readdirSync(folder)).toEqual([id])

  writeFileSync(join(copy, name), whole)
  writeFileSync(join(copy, manifestName), sealManifest(manifest))
  expect(await runProcess(restore, {cwd: folder})).toMatchObject({code: 0, stderr: ""})
  // The database is no file of the project, even beside them.
  const modes = ["bot.sqlite", "package.json"].map(file => statSync(join(target, file)).mode & 0o777)
  expect(modes).toEqual([0o600, 0o644])
})

test("an archive over a limit is rejected while svc reads it, and leaves no files", async () => {
  const folder = makeFolder()
  const unpacked = join(folder, "unpacked")
  const refused = async (file: string | Readable, limits: Partial<ArchiveLimits>, why: string) => {
    await expect(readArchive(file, unpacked, undefined, {...archiveLimits, ...limits})).rejects.toMatchObject({
      code: "checkpoint_too_large",
      message: expect.stringContaining(why),
    })
    expect(existsSync(unpacked)).toBe(false)
  }
  let seen = 0
  const many = Readable.from(
    (function* () {
      for (let n = 0; n < 10_000; n += 100) {
        yield Buffer.concat(Array.from({length: 100}, (_, index) => tarHeader(`file-${n + index}`, 0)))
        seen = Math.max(seen, readdirSync(unpacked).length)
      }
    })(),
    {objectMode: false},
  )
  await refused(many, {entries: 5000}, "more than 5000 files")
  // Making and syncing them would take most of the time until the refusal.
  expect(seen).toBe(0)

  // The header alone exceeds the limit, so svc rejects it without waiting for the data.
  const promising = join(folder, "promising.tar")
  writeFileSync(promising, tarHeader("data.sqlite", 4_000_000_000))
  await refused(promising, {bytes: 1_000_000_000}, "more than 1000000000 bytes")

  const bomb = join(folder, "bomb.tar.gz")
  const zeros = 200 * 1024 * 1024
  await pipeline(
    function* () {
      yield tarHeader("data.sqlite", zeros)
      for (let sent = 0; sent < zeros; sent += 1 << 20) yield Buffer.alloc(1 << 20)
    },
    createGzip(),
    createWriteStream(bomb),
  )
  expect(statSync(bomb).size).toBeLessThan(300_000)
  await refused(bomb, {}, "more than 200 times its size")

  // A text about another entry, which the tar reader would keep in memory.
  const attribute = join(folder, "attribute.tar")
  writeFileSync(attribute, tarHeader("long", 2_000_000_000, "x"))
  await expect(readArchive(attribute, unpacked)).rejects.toMatchObject({code: "checkpoint_invalid"})
  expect(existsSync(unpacked)).toBe(false)

  const name = Buffer.alloc(512 * 1024, "n")
  for (const parts of [
    [tarHeader("a/".repeat(12).concat("b"), 0)],
    [tarHeader("long", name.length, "L"), name, tarHeader("x", 0)],
    [tarHeader("manifest.json", 512), name.subarray(0, 512), Buffer.alloc(1024)],
    [],
  ]) {
    const problem = await readArchive(Readable.from(parts, {objectMode: false}), unpacked).catch(error => error)
    expect(problem).toMatchObject({code: "checkpoint_invalid", message: expect.not.stringContaining(folder)})
    expect(problem.message.length).toBeLessThan(400)
  }
})

test.each(bunAnd("node24"))("a running Host serves only verified checkpoints as archives, on $name", async runtime => {
  const {HTTP_TOKEN, DEMO_TOKEN} = fullAndDemo.env
  const files = {"bun.lock": "locked", ".env": `HTTP_TOKEN=${HTTP_TOKEN}\nDEMO_TOKEN=${DEMO_TOKEN}\n`}
  const host = await startHost({runtime, config: fullAndDemo.config(), env: fullAndDemo.env, files})
  await host.say("hello")
  const download = (id: string, token: string = HTTP_TOKEN) =>
    fetch(`${host.url}/api/checkpoints/${id}/archive`, {headers: {authorization: `Bearer ${token}`}})
  await expectProblem(await download("newest"), 404, "checkpoint_unknown")
  await printed(host.project, ["checkpoint", "create", "--no-verify"], runtime)
  await expectProblem(await download("newest"), 503, "checkpoint_failed")
  await printed(host.project, ["checkpoint", "verify", "newest"], runtime)
  await expectProblem(await download("newest", DEMO_TOKEN), 403, "forbidden")
  const answer = await download("newest")
  expect(answer.headers.get("content-type")).toBe("application/x-tar")
  expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="[0-9a-f-]+\.tar"$/)
  const folder = makeFolder()
  const archive = join(folder, "bot.tar")
  writeFileSync(archive, new Uint8Array(await answer.arrayBuffer()))
  const restored = await svc(runtime, host.project, [
    "checkpoint",
    "restore",
    archive,
    "--project",
    join(folder, "bot"),
  ])
  expect({code: restored.code, stderr: restored.stderr}).toMatchObject({code: 0})
  expect(readFileSync(join(folder, "bot/bun.lock"), "utf8")).toBe("locked")
  expect((await host.fetch("/api/system/status")).status).toBe(200)
})
