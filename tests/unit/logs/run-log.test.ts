import {mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {listRuns, readRun, readRunsAbout} from "../../../server/runtime/logs/read-runs.ts"
import {RunLog} from "../../../server/runtime/logs/runs/run-log.ts"
import {makeFolder} from "../../support/database/databases.ts"

const all = {level: "silly", plugin: undefined} as const
const runOf = (startedAt: number) => ({startedAt, runtimeId: `0000000${startedAt % 10}-run`})
const record = (message: string, more = {}) =>
  JSON.stringify({time: "2026-03-01T12:00:00.000Z", level: "info", message, ...more})

const keep = async (folder: string, startedAt: number, records: readonly string[]) => {
  const log = new RunLog({folder, ...runOf(startedAt)})
  for (const each of records) log.add(each)
  await log.close()
}

const messagesOf = ({items}: Awaited<ReturnType<typeof readRun>>) => items.map(({message}) => message)

test("the log of an ended run is read newest first, by level, plugin and page", async () => {
  const folder = join(makeFolder(), "logs")
  const begun = 1_772_366_400_001
  await keep(folder, begun, [
    record("one"),
    record("two", {level: "error", plugin: "greeter"}),
    record("three", {plugin: "greeter"}),
  ])
  await keep(folder, begun + 1, [record("of the next run")])
  expect((await listRuns(folder)).map(({runtimeId, isCut}) => ({runtimeId, isCut}))).toEqual([
    {runtimeId: "00000002-run", isCut: false},
    {runtimeId: "00000001-run", isCut: false},
  ])
  const read = (more = {}) => readRun(folder, "00000001-run", {filter: all, limit: 10, ...more})
  expect(messagesOf(await read())).toEqual(["three", "two", "one"])
  expect(messagesOf(await read({filter: {level: "error", plugin: undefined}}))).toEqual(["two"])
  expect(messagesOf(await read({filter: {level: "silly", plugin: "greeter"}}))).toEqual(["three", "two"])
  const first = await read({limit: 2})
  expect(first.next).toBe(2)
  expect(first.items[0]?.id).toBe("00000001-run-3")
  const second = await read({limit: 2, below: first.next})
  expect({messages: messagesOf(second), next: second.next}).toEqual({messages: ["one"], next: undefined})
  await expect(readRun(folder, "nobody", {filter: all, limit: 1})).rejects.toMatchObject({code: "log_unknown"})
})

test("only the owner can read the files, and a line that a kill cut off is left out", async () => {
  const folder = join(makeFolder(), "logs")
  await keep(folder, 1_772_366_400_001, [record("whole")])
  const [name = ""] = readdirSync(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  writeFileSync(join(folder, name), `${readFileSync(join(folder, name), "utf8")}{"time":"2026-03-01T12:0`)
  writeFileSync(join(folder, "notes.txt"), "not ours")
  expect(messagesOf(await readRun(folder, "00000001-run", {filter: all, limit: 5}))).toEqual(["whole"])
})

test("all files together stay below their limit: the oldest parts are deleted first", async () => {
  const folder = join(makeFolder(), "logs")
  const long = "x".repeat(50_000)
  for (let run = 1; run <= 3; run++) {
    const log = new RunLog({folder, ...runOf(1_772_366_400_000 + run)})
    for (let n = 0; n < 300; n++) {
      log.add(record(`${n} ${long}`))
      if (n % 15 === 14) await log.flush()
    }
    await log.close()
  }
  const runs = await listRuns(folder)
  expect(runs.reduce((sum, {size}) => sum + size, 0)).toBeLessThan(34 * 1024 ** 2)
  expect(runs.map(({isCut}) => isCut)).toEqual([false, false, true])
  const oldest = await readRun(folder, "00000001-run", {filter: all, limit: 1000})
  expect(oldest.items.at(-1)?.message).toMatch(new RegExp(`^${(oldest.items.at(-1)?.seq ?? 0) - 1} x`))
})

test("a failing disk causes no error, and later records have the right numbers", async () => {
  const folder = join(makeFolder(), "logs")
  const log = new RunLog({folder, ...runOf(1_772_366_400_001)})
  // A file in place of the folder.
  writeFileSync(folder, "")
  log.add(record("lost"))
  await log.flush()
  rmSync(folder)
  mkdirSync(folder)
  log.add(record("kept"))
  await log.close()
  const {items} = await readRun(folder, "00000001-run", {filter: all, limit: 5})
  expect(items.map(({message, seq}) => [message, seq])).toEqual([["kept", 2]])
  expect((await listRuns(folder))[0]?.isCut).toBe(true)
})

test("the records of an event are found in the runs of its time", async () => {
  const folder = join(makeFolder(), "logs")
  const begun = 1_772_366_400_001
  await keep(folder, begun, [
    record("received", {event: 7}),
    record("another", {event: 8}),
    record("sent", {outbox: 3}),
  ])
  await keep(folder, begun + 1, [record("now", {event: 7})])
  const numbers = {event: new Set([7]), outbox: new Set([3])}
  const times = {from: begun, to: Date.now(), except: "00000002-run"}
  expect((await readRunsAbout(folder, numbers, times)).map(({message}) => message)).toEqual(["received", "sent"])
  expect(await readRunsAbout(folder, numbers, {...times, to: begun - 1})).toEqual([])
  expect(await readRunsAbout(folder, numbers, {...times, from: Date.now() + 60_000})).toEqual([])
})
