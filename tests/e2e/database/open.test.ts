import {createHash} from "node:crypto"
import {copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync} from "node:fs"
import {beforeEach, describe, expect, test} from "vitest"
import {migrations} from "../../../server/database/migrations/migrations.ts"
import {problems} from "../../../shared/problems.ts"
import {open} from "../../support/database/databases.ts"
import {holdDatabase} from "../../support/database/stranger.ts"
import {bunOr, launchHost, makeProject, onBun, type Project, startHost} from "../../support/host/host.ts"
import {mountReadOnly, needMounts} from "../../support/machine/disk.ts"

const config = "http: {port: 0}\ndatabase: {dialect: sqlite, filename: data/bot.sqlite}\nplugins: {sandbox: {}}\n"

let project: Project
let file: string

/** A project with an intact database, after a Host that stopped gracefully. */
beforeEach(async () => {
  const host = await startHost({own: true, config})
  await host.stop()
  project = host.project
  file = project.path("data/bot.sqlite")
})

const overwrite = (at: number, bytes: Uint8Array) => {
  const content = readFileSync(file)
  content.set(bytes, at)
  writeFileSync(file, content)
}

/** Bytes that are the same each time. Random bytes could happen to form a valid page. */
const noise = (size: number) => createHash("shake256", {outputLength: size}).update("noise").digest()

const hashOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex")

/** Starts a Host that must refuse to start. Expects the file, the problem and a remedy on stderr, without a stack. */
const refusal = async (runtime = onBun): Promise<string> => {
  const {code, stdout, stderr} = await launchHost({project, runtime}).process.finished
  expect(code).toBe(1)
  expect(stderr).toMatch(/^svc: .+\n {2}hint: .+\n$/)
  expect(stdout + stderr).not.toMatch(/\n\s+at |Error:/)
  expect(existsSync(project.path(".svc/host.json"))).toBe(false)
  return stderr
}

test("after a graceful stop the database is one complete file that only its owner may read", async () => {
  const copy = project.path("copy.sqlite")
  copyFileSync(file, copy)
  const database = await open({dialect: "sqlite", file: copy})
  expect(database.applied).toEqual([])
  expect(await database.read("SELECT exit_code, reason FROM svc_runs")).toEqual([{exit_code: 0, reason: "SIGTERM"}])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

describe.each(bunOr("node22"))("a Host on $name", runtime => {
  test("refuses a database path that is a folder", async () => {
    rmSync(file)
    mkdirSync(file)
    const text = await refusal(runtime)
    expect(text).toMatch(new RegExp(`cannot open ${file}: .*\\bfolder$`, "m"))
    expect(text).toContain(problems.database_unopenable.hint)
  })

  test("refuses a file that is not a database, and leaves it unchanged", async () => {
    writeFileSync(file, noise(20_000))
    const before = hashOf(file)
    const text = await refusal(runtime)
    expect(text).toContain(`cannot open ${file}: `)
    expect(text).toContain("not a database")
    expect(text).toContain(problems.database_corrupt.hint)
    expect(hashOf(file)).toBe(before)
  })
})

test.each([
  ["its header overwritten", () => overwrite(0, noise(100))],
  ["its first page overwritten", () => overwrite(100, noise(3900))],
  ["its other pages overwritten", () => overwrite(4096, noise(20_000))],
  ["been cut in half", () => truncateSync(file, Math.floor(statSync(file).size / 2))],
  ["been cut in the middle of a page", () => truncateSync(file, statSync(file).size - 1000)],
  ["been cut to less than a header", () => truncateSync(file, 50)],
])("a database that has %s is refused as damaged, and kept", async (_, damage) => {
  damage()
  const text = await refusal()
  expect(text).toContain(`cannot open ${file}: `)
  expect(text).toMatch(/malformed|not a database|cut short/)
  expect(text).toContain(problems.database_corrupt.hint)
  expect(existsSync(file)).toBe(true)
})

test("an empty database file is accepted in a new project and refused in one that had a database", async () => {
  truncateSync(file)
  expect(await refusal()).toMatch(/\bdatabase\b.*\breplaced\b/)
  const fresh = makeProject({config, files: {"data/bot.sqlite": ""}})
  const host = await startHost({project: fresh})
  expect(await host.get("/api/system/status")).toMatchObject({database: {schema: migrations.at(-1)?.version}})
})

test("a database path below a file is refused", async () => {
  rmSync(project.path("data"), {recursive: true})
  project.write("data", "")
  expect(await refusal()).toContain(`cannot open ${file}: ENOTDIR`)
})

test("a read-only database is refused", async context => {
  needMounts(context)
  mountReadOnly(project.path("data"))
  const text = await refusal()
  expect(text).toContain(`cannot open ${file}: EROFS: read-only file system`)
  expect(text).toContain(problems.database_unopenable.hint)
})

test("a new database in a read-only folder is refused", async context => {
  needMounts(context)
  project = makeProject({config})
  file = project.path("data/bot.sqlite")
  mkdirSync(project.path("data"))
  mountReadOnly(project.path("data"))
  expect(await refusal()).toContain(`cannot open ${file}: EROFS: read-only file system`)
})

test("a read-only state folder is refused", async context => {
  needMounts(context)
  mountReadOnly(project.path(".svc"))
  const text = await refusal()
  expect(text).toContain(project.path(".svc/host.lock"))
  expect(text).toContain(problems.state_unwritable.hint)
})

test("a database that a newer version wrote is refused and left unchanged", async () => {
  const newer = {version: 1000, name: "future", undo: "drop it", statements: ["CREATE TABLE future (id INTEGER)"]}
  await (await open({dialect: "sqlite", file}, {known: [...migrations, newer]})).close()
  const before = hashOf(file)
  const text = await refusal()
  expect(text).toContain("schema version 1000")
  expect(text).toContain(`up to ${migrations.at(-1)?.version}`)
  expect(text).toContain(problems.database_newer.hint)
  expect(hashOf(file)).toBe(before)
})

test("a database that another process is writing to is refused, and opens once that process has ended", async () => {
  const stranger = await holdDatabase(file)
  const text = await refusal()
  expect(text).toContain(`cannot open ${file}: SQLITE_BUSY: database is locked`)
  expect(text).toContain(problems.database_busy.hint)
  stranger.child.kill("SIGKILL")
  await stranger.finished
  expect((await (await startHost({own: true, project})).fetch("/pub/ready")).status).toBe(200)
})
