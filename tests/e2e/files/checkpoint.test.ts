import {hash} from "node:crypto"
import {existsSync, readFileSync, rmSync, statSync, writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {CheckpointDetail} from "../../../shared/api/checkpoint.ts"
import {makeCheckpoint, restore} from "../../support/checkpoint/checkpoints.ts"
import {open} from "../../support/database/databases.ts"
import {printed, runCommand} from "../../support/host/command-line.ts"
import {bunOr, Chance, makeProject, type Project, startHost, type TestHost, until} from "../../support/host/host.ts"
import {clerk} from "./clerk.ts"

const config = `http: {port: 0}
checkpoints: {every: 0s}
plugins: {sandbox: {}, clerk: {}}
`

const files = {"reports/q1.pdf": "a report"}

const nameOf = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}`

const q1 = nameOf(hash("sha256", "a report"))
const note = nameOf(hash("sha256", "hello"))

const filesIn = ({manifest}: CheckpointDetail): readonly string[] =>
  manifest.files.flatMap(({path}) => (path.startsWith("files/") ? [path.slice("files/".length)] : []))

const inCheckpoint = (project: Project, {id}: CheckpointDetail, name: string): string =>
  project.path(".svc/checkpoints", id, "files", name)

/** Expects that each file of the stopped project has its name's content. Returns the number of messages with files. */
const requireWhole = async (project: Project): Promise<number> => {
  const database = await open({dialect: "sqlite", file: project.path(".svc/data.sqlite")})
  const rows = await database.read("SELECT sha256 FROM files")
  const needed = await database.read("SELECT DISTINCT sha256 FROM outbox_files")
  const shown = await database.read("SELECT count(*) AS n FROM outbox WHERE content LIKE '%internal:svc/files/%'")
  const linked = await database.read("SELECT count(DISTINCT seq) AS n FROM outbox_files")
  await database.close()
  expect(linked).toEqual(shown)
  const known = rows.map(({sha256}) => String(sha256))
  for (const {sha256} of needed) expect(known).toContain(sha256)
  for (const sha256 of known)
    expect(hash("sha256", readFileSync(project.path("data/files", nameOf(sha256))))).toBe(sha256)
  return Number(linked[0]?.n)
}

describe.each(bunOr("node24"))("checkpoints with files, on $name", runtime => {
  test("hold every file, share equal files, and restore them in another project", async () => {
    const host = await startHost({runtime, config, plugins: {clerk}, files})
    const {project} = host
    await host.say("/send reports/q1.pdf")
    const first = await makeCheckpoint(project, runtime)
    expect(filesIn(first)).toEqual([q1])
    expect(first.manifest.parts.files).toEqual({count: 1, bytes: 8})
    await host.say("/bytes hello")
    const second = await makeCheckpoint(project, runtime)
    expect(new Set(filesIn(second))).toEqual(new Set([q1, note]))
    const inode = (path: string) => statSync(path).ino
    expect(inode(inCheckpoint(project, first, q1))).toBe(inode(inCheckpoint(project, second, q1)))
    expect(inode(inCheckpoint(project, first, q1))).not.toBe(inode(project.path("data/files", q1)))
    const archive = project.path("copy.tgz")
    await printed(project, ["checkpoint", "export", second.id, "--output", archive], runtime)
    await host.stop()

    const elsewhere = makeProject({plugins: {clerk}, config: "http: {port: 0}\n"})
    rmSync(elsewhere.path("svc.config.yml"))
    rmSync(elsewhere.path("package.json"))
    await restore(elsewhere, archive, runtime)
    expect(await requireWhole(elsewhere)).toBe(2)
    const again = await startHost({runtime, project: elsewhere})
    expect((await again.get("/api/database")).files).toMatchObject({count: 2, bytes: 13})
    const [row] = (await again.get("/api/outbox")).items
    await again.post("/api/outbox/:id/redact", {id: row?.id ?? ""})
    expect(existsSync(elsewhere.path("data/files", note))).toBe(false)

    await again.say("/bytes later", {user: "zoe", channel: "@zoe"})
    await again.stop()
    const later = nameOf(hash("sha256", "later"))
    expect(existsSync(elsewhere.path("data/files", later))).toBe(true)
    await printed(elsewhere, ["user", "forget", "sandbox", "zoe", "--yes"], runtime)
    expect(existsSync(elsewhere.path("data/files", later))).toBe(false)

    // A restore removes newer files and brings deleted ones back.
    const third = await makeCheckpoint(elsewhere, runtime)
    expect(filesIn(third)).toEqual([q1])
    writeFileSync(elsewhere.path("data/files", q1), "a damaged one")
    await restore(elsewhere, third.id, runtime)
    expect(await requireWhole(elsewhere)).toBe(1)
  })

  test("are refused if a file is damaged or missing, and complete once it is sent again", async () => {
    const host = await startHost({runtime, config, plugins: {clerk}, files})
    const {project} = host
    await host.say("/send reports/q1.pdf")
    const first = await makeCheckpoint(project, runtime)
    writeFileSync(inCheckpoint(project, first, q1), "A report")
    const verified = await runCommand(project, ["checkpoint", "verify", first.id], runtime)
    expect(verified).toMatchObject({code: 1})
    expect(`${verified.stdout}${verified.stderr}`).toContain(`the content of files/${q1} has changed`)
    // A damaged file is not shared with the next checkpoint.
    await makeCheckpoint(project, runtime)
    rmSync(inCheckpoint(project, first, q1))
    for (const [change, words] of [
      [() => writeFileSync(project.path("data/files", q1), "B report"), "is damaged: "],
      [() => rmSync(project.path("data/files", q1)), "is missing"],
    ] as const) {
      rmSync(project.path(".svc/checkpoints"), {recursive: true})
      change()
      const refused = await runCommand(project, ["checkpoint", "create"], runtime)
      expect(refused).toMatchObject({code: 1})
      expect(`${refused.stdout}${refused.stderr}`).toContain(`files: the file ${hash("sha256", "a report")} ${words}`)
    }
    await host.say("/send reports/q1.pdf")
    await makeCheckpoint(project, runtime)
  })

  test("never hold a message without its file, even after kills during sending", async () => {
    const project = makeProject({config, plugins: {clerk}, files})
    const chance = new Chance(7)
    let host: TestHost | undefined
    for (let life = 0; life < 4; life++) {
      host = await startHost({own: true, runtime, project})
      const before = (await host.get("/api/database")).files.count
      const {plugin, get} = host
      const said = Promise.allSettled(
        Array.from({length: 40}, (_, n) =>
          plugin("/api/plugins/sandbox/messages", {text: `/bytes ${life}-${n}`, channel: `c${n % 8}`}),
        ),
      )
      const most = before + 2 + chance.below(20)
      await until("some files", async () => (await get("/api/database")).files.count >= most)
      await host.stop("SIGKILL")
      await said
      await requireWhole(project)
    }
    host = await startHost({own: true, runtime, project})
    await until("all handlers to end", async () => {
      const status = await host?.fetch("/api/metrics")
      return !/svc_inbox_handlers\{state="(pending|running)"\} [1-9]/.test((await status?.text()) ?? "")
    })
    await host.stop()
    expect(await requireWhole(project)).toBeGreaterThan(20)
  })
})
