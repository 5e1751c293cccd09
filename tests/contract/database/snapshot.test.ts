import {createHash} from "node:crypto"
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import type {Migration} from "../../../server/database/migrations/migrations.ts"
import {inspectFile} from "../../../server/database/upkeep/maintenance.ts"
import {makeFolder, open, remoteDatabase} from "../../support/database/databases.ts"

/** Every batch adds three entries and one to the count, so a copy that mixes two moments shows it. */
const ledger: Migration = {
  version: 1,
  name: "ledger",
  undo: "drop it",
  statements: [
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE INDEX entries_text ON entries (text)",
    "CREATE TABLE counted (batches INTEGER NOT NULL)",
    "INSERT INTO counted (batches) VALUES (0)",
  ],
}

const entry = {sql: "INSERT INTO entries (text) VALUES (hex(randomblob(100)))"}
const batch = [entry, entry, {sql: "UPDATE counted SET batches = batches + 1"}, entry]

const stateOf = async (database: Database) => {
  const [row] = await database.read("SELECT batches, (SELECT count(*) FROM entries) AS entries FROM counted")
  return {batches: Number(row?.batches), entries: Number(row?.entries)}
}

/** A database with these batches; by default a few megabytes, because a snapshot must take longer than a batch. */
const filled = async (batches = 5000): Promise<{database: Database; folder: string}> => {
  const folder = makeFolder()
  const database = await open({dialect: "sqlite", file: join(folder, "data.sqlite")}, {known: [ledger]})
  await database.write([
    {
      sql: `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO entries (text) SELECT hex(randomblob(200)) FROM n`,
      args: [batches * 3],
    },
    {sql: "UPDATE counted SET batches = ?", args: [batches]},
  ])
  return {database, folder}
}

test("five snapshots under write load are each sound and of one moment, and the original continues", async () => {
  const {database, folder} = await filled()
  let acknowledged = 5000
  let isWriting = true
  const writers = [1, 2, 3, 4].map(async () => {
    while (isWriting) {
      await database.write(batch)
      acknowledged++
      await new Promise(resolve => setTimeout(resolve, 1))
    }
  })
  let written = 0
  // If this machine holds the writers up during a snapshot, the test takes more snapshots.
  for (let number = 1; number <= 5 || (written <= 5 && number <= 20); number++) {
    const target = join(folder, `snapshot-${number}.sqlite`)
    const before = acknowledged
    await database.snapshotTo(target)
    written += acknowledged - before
    expect((await inspectFile(target)).findings).toEqual([])
    expect(statSync(target).mode & 0o777).toBe(0o600)
    const copy = await open({dialect: "sqlite", file: target}, {known: [ledger]})
    expect(await copy.read("PRAGMA integrity_check")).toEqual([{integrity_check: "ok"}])
    const {batches, entries} = await stateOf(copy)
    expect(entries).toBe(batches * 3)
    expect(batches).toBeGreaterThanOrEqual(before)
    expect(batches).toBeLessThanOrEqual(acknowledged + writers.length)
    await copy.close()
  }
  expect(written).toBeGreaterThan(5)
  isWriting = false
  await Promise.all(writers)
  expect(await stateOf(database)).toEqual({batches: acknowledged, entries: acknowledged * 3})
  expect(await database.read("PRAGMA integrity_check")).toEqual([{integrity_check: "ok"}])
})

test("a snapshot replaces nothing: an existing target is refused and kept", async () => {
  const {database, folder} = await filled(10)
  for (const content of ["something of the operator's", ""]) {
    const target = join(folder, "there.sqlite")
    writeFileSync(target, content)
    await expect(database.snapshotTo(target)).rejects.toMatchObject({
      code: "database_failed",
      message: expect.stringContaining(`${target} failed: it already exists`),
    })
    expect(readFileSync(target, "utf8")).toBe(content)
  }
})

test("a snapshot that cannot be written is refused with its target, and the database continues", async () => {
  const {database, folder} = await filled(10)
  const target = join(folder, "no such folder", "copy.sqlite")
  await expect(database.snapshotTo(target)).rejects.toMatchObject({
    code: "database_failed",
    message: expect.stringContaining(target),
  })
  await database.write(batch)
  expect(await stateOf(database)).toEqual({batches: 11, entries: 33})
})

test("a snapshot that is stopped halfway leaves no partial copy", async () => {
  const {database, folder} = await filled()
  // A snapshot may be complete before this busy process sees its partial copy; then the next one is tried.
  for (let number = 1; ; number++) {
    const target = join(folder, `ended-${number}.sqlite`)
    const abort = new AbortController()
    const over: unknown[] = []
    const snapshot = database
      .snapshotTo(target, abort.signal)
      .then(() => over.push("whole"))
      .catch(error => over.push(error))
    while (!existsSync(`${target}.partial`) && over.length === 0) await new Promise(resolve => setImmediate(resolve))
    abort.abort()
    await snapshot
    if (over[0] === "whole" && number < 20) continue
    expect(over).toMatchObject([{code: "database_failed"}])
    expect(readdirSync(folder).filter(name => name.startsWith(`ended-${number}`))).toEqual([])
    return
  }
})

test("the leftovers of a killed snapshot do not block the next one", async () => {
  const {database, folder} = await filled(10)
  const target = join(folder, "next.sqlite")
  for (const end of [".partial", ".partial-journal"]) writeFileSync(`${target}${end}`, "left behind")
  await database.snapshotTo(target)
  expect((await inspectFile(target)).findings).toEqual([])
  expect(readdirSync(folder).filter(name => name.startsWith("next"))).toEqual(["next.sqlite"])
})

test("a remote database is not copied by a snapshot", async () => {
  const database = await open((await remoteDatabase()).location)
  const target = join(makeFolder(), "copy.sqlite")
  await expect(database.snapshotTo(target)).rejects.toMatchObject({message: expect.stringMatching(/\bown tool\b/)})
  expect(existsSync(target)).toBe(false)
})

test("five snapshots of a point under load end with the point's batch and hold nothing later", async () => {
  const {database, folder} = await filled()
  let isWriting = true
  const writers = [1, 2, 3, 4].map(async () => {
    while (isWriting) {
      await database.write(batch)
      await new Promise(resolve => setTimeout(resolve, 1))
    }
  })
  const mark = {sql: "INSERT INTO entries (text) SELECT 'point ' || batches FROM counted"}
  for (const number of [1, 2, 3, 4, 5]) {
    const target = join(folder, `point-${number}.sqlite`)
    const {size, sha256} = await database.snapshotPoint(target, async () => [mark])
    expect(statSync(target).size).toBe(size)
    expect(createHash("sha256").update(readFileSync(target)).digest("hex")).toBe(sha256)
    const copy = await open({dialect: "sqlite", file: target}, {known: [ledger]})
    const [last] = await copy.read("SELECT text FROM entries ORDER BY id DESC LIMIT 1")
    const {batches, entries} = await stateOf(copy)
    expect(last).toEqual({text: `point ${batches}`})
    expect(entries).toBe(batches * 3 + number)
    await copy.close()
  }
  isWriting = false
  await Promise.all(writers)
})

test("a point whose batch is refused makes no copy, and writers continue", async () => {
  const {database, folder} = await filled(10)
  const target = join(folder, "refused.sqlite")
  await expect(database.snapshotPoint(target, async () => [{sql: "INSERT INTO nowhere VALUES (1)"}])).rejects.toThrow(
    "nowhere",
  )
  expect(readdirSync(folder).filter(name => name.startsWith("refused"))).toEqual([])
  await database.write(batch)
  expect(await stateOf(database)).toEqual({batches: 11, entries: 33})
})
