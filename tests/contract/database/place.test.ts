import {execFile} from "node:child_process"
import {existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync} from "node:fs"
import {dirname, join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"
import {promisify} from "node:util"
import {expect, onTestFinished, test, vi} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {countNotes, makeFolder, note, notes, open, remoteDatabase} from "../../support/database/databases.ts"
import {displacements, truncations} from "../../support/database/displace.ts"
import {Chance, faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"

/** How long a commit must take, in milliseconds, for the disk to count as slow. */
const disks = [
  {disk: "a fast disk", slowFrom: "100000"},
  {disk: "a slow disk", slowFrom: "0"},
]

const make = async () => {
  const folder = join(makeFolder(), "data")
  mkdirSync(folder)
  const file = join(folder, "data.sqlite")
  const failures: string[] = []
  const database = await open({dialect: "sqlite", file}, {known: [notes]})
  database.observe({failing: ({code}) => failures.push(code)})
  return {database, file, failures}
}

/** Writes notes one after the other until one is refused. Resolves to the acknowledged ones. */
const writeUntilRefused = async (database: Database, onFirst: () => void) => {
  const acknowledged: number[] = []
  for (let n = 0; n < 100_000; n++) {
    const code = await database
      .write([note("before", n)])
      .then(() => undefined)
      .catch(error => (error instanceof Problem ? error.code : messageOf(error)))
    if (code !== undefined) return {acknowledged, code}
    acknowledged.push(n)
    if (n === 20) onFirst()
  }
  throw new Error("nothing was refused")
}

test.each([...displacements, ...truncations].flatMap(how => disks.map(disk => ({...how, ...disk}))))(
  "on $disk, a database after $name acknowledges nothing more, and a rescue has every acknowledged note",
  async ({displace, slowFrom}) => {
    vi.stubEnv("SVC_SLOW_DISK_FROM", slowFrom)
    onTestFinished(() => void vi.unstubAllEnvs())
    const {database, file, failures} = await make()
    const {acknowledged, code} = await writeUntilRefused(database, () => displace(file))
    expect(code).toBe("database_replaced")
    expect(acknowledged).toHaveLength(21)
    expect(failures).toEqual(["database_replaced"])
    const refused = {code: "database_replaced"}
    await expect(database.truncateLog()).rejects.toMatchObject(refused)
    await expect(database.snapshotTo(join(makeFolder(), "copy.sqlite"))).rejects.toMatchObject(refused)
    expect(await countNotes(database)).toBe(21)

    const target = join(makeFolder(), "rescued.sqlite")
    const rescued = await database.rescueTo(target)
    expect(rescued).toMatchObject({path: target, size: statSync(target).size})
    expect(rescued.rows).toBeGreaterThan(20)
    expect(statSync(target).mode & 0o777).toBe(0o600)
    await expect(database.rescueTo(target)).rejects.toMatchObject({code: "rescue_failed"})
    expect(await countNotes(await open({dialect: "sqlite", file: target}, {known: [notes]}))).toBe(21)
  },
)

const run = faultRun("file-truncations")
test(`after each of ${run.rounds} truncations by another process, no acknowledged note is lost unsaid (seed ${run.seed})`, async () => {
  tellHowToRepeat(run)
  const chance = new Chance(run.seed)
  let rescues = 0
  for (let round = 0; round < run.rounds; round++) {
    const {database, file} = await make()
    const acknowledged: number[] = []
    const refusals: string[] = []
    let isOver = false
    const write = async (writer: number) => {
      for (let n = writer; !isOver && refusals.length === 0; n += 4)
        await database
          .write([note("load", n)])
          .then(() => acknowledged.push(n))
          .catch(({code}) => refusals.push(code))
    }
    const writing = Promise.all([0, 1, 2, 3].map(write))
    await sleep(chance.below(50))
    await promisify(execFile)("truncate", ["-s", "0", `${file}${chance.pick(["", "-wal"])}`])
    await sleep(50)
    isOver = true
    await writing
    // The look at the files and the write of a group are not one step. A check finds what happened in between.
    const told = await database
      .check(new AbortController().signal)
      .then(({damaged}) => damaged.length > 0)
      .catch(({code}) => code === "database_replaced")
    expect(told).toBe(true)
    expect(refusals.filter(code => code !== "database_replaced" && code !== "database_corrupt")).toEqual([])
    const target = join(makeFolder(), "rescued.sqlite")
    const rescued = await database.rescueTo(target).catch(({code}) => expect(code).toBe("rescue_failed"))
    if (rescued !== undefined) {
      const found = await open({dialect: "sqlite", file: target}, {known: [notes]})
      const stored = new Set((await found.read("SELECT n FROM notes")).map(({n}) => Number(n)))
      expect(acknowledged.filter(n => !stored.has(n))).toEqual([])
      await found.close()
      rescues++
    }
    await database.close()
  }
  expect(rescues).toBeGreaterThan(run.rounds * 0.9)
})

test("a check finds a lost database while nobody writes", async () => {
  const {database, file, failures} = await make()
  expect(database.inspectPlace()).toBeUndefined()
  rmSync(file)
  expect(database.inspectPlace()).toMatchObject({code: "database_replaced", message: expect.stringContaining(file)})
  expect(failures).toEqual(["database_replaced"])
  await expect(database.write([note("late", 1)])).rejects.toMatchObject({code: "database_replaced"})
})

test("a database that was put back is not used again, because another Host may have used it", async () => {
  const {database, file} = await make()
  renameSync(file, `${file}.aside`)
  expect(database.inspectPlace()).toBeDefined()
  renameSync(`${file}.aside`, file)
  await expect(database.write([note("late", 1)])).rejects.toMatchObject({code: "database_replaced"})
  expect(existsSync((await database.rescueTo(`${file}.rescued`)).path)).toBe(true)
})

test("close leaves files alone that took the names of the Host's files", async () => {
  const {database, file} = await make()
  for (const end of ["", "-wal", "-shm"]) {
    rmSync(`${file}${end}`)
    writeFileSync(`${file}${end}`, "somebody else's")
  }
  await database.close()
  for (const end of ["", "-wal", "-shm"]) expect(readFileSync(`${file}${end}`, "utf8")).toBe("somebody else's")
})

test("a database in its place needs no rescue, and a remote one has no place", async () => {
  const {database, file} = await make()
  await database.write([note("one", 1)])
  await expect(database.rescueTo(`${file}.rescued`)).rejects.toMatchObject({code: "rescue_not_needed"})
  const remote = await open((await remoteDatabase()).location, {known: [notes]})
  await expect(remote.rescueTo(`${file}.rescued`)).rejects.toMatchObject({code: "rescue_not_needed"})
})

test("a failed rescue leaves nothing partial, and another one can follow", async () => {
  const {database, file} = await make()
  await database.write([note("one", 1)])
  rmSync(file)
  const nowhere = join(dirname(file), "missing/rescued.sqlite")
  await expect(database.rescueTo(nowhere)).rejects.toMatchObject({code: "rescue_failed"})
  expect((await database.rescueTo(file)).path).toBe(file)
  expect(existsSync(`${file}.partial`)).toBe(false)
})

test("a project whose lock is gone accepts no change", async () => {
  let lost: Problem | undefined
  const file = join(makeFolder(), "data.sqlite")
  const database = await open({dialect: "sqlite", file}, {known: [notes], whyNotHeld: () => lost})
  await database.write([note("one", 1)])
  lost = new Problem("lock_lost", "the lock was removed")
  await expect(database.write([note("two", 2)])).rejects.toMatchObject({code: "lock_lost"})
  expect(await countNotes(database)).toBe(1)
})
