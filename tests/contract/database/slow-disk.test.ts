import {statSync} from "node:fs"
import {expect, test} from "vitest"
import {countNotes, note, notes, onSlowDisk, open} from "../../support/database/databases.ts"

const kilobyte = "x".repeat(1024)

const openSlow = async () => {
  const location = await onSlowDisk()
  const database = await open(location, {known: [notes]})
  // This number of commits shows that the disk is slow.
  for (let n = 0; n < 8; n++) await database.write([note("first", n)])
  return {database, log: `${location.file}-wal`}
}

test("rows are not readable before they are durable", async () => {
  const {database} = await openSlow()
  const written = database.write([note("a", 1)]).then(() => "written")
  const seen: unknown[] = []
  let isWritten = false
  void written.then(() => {
    isWritten = true
  })
  while (!isWritten) {
    const count = await countNotes(database)
    if (!isWritten) seen.push(count)
    await new Promise(setImmediate)
  }
  expect(new Set(seen)).toEqual(new Set([8]))
  expect(await countNotes(database)).toBe(9)
})

test("the log is moved into the database and emptied, and a new connection finds every row", async () => {
  const {database, log} = await openSlow()
  const rows = (from: number) => Array.from({length: 500}, (_, n) => note(kilobyte, from + n))
  let largest = 0
  for (let n = 0; n < 20; n++) {
    await database.write(rows(n * 500))
    largest = Math.max(largest, statSync(log).size)
  }
  expect(largest).toBeGreaterThan(4 * 1024 * 1024)
  expect(largest).toBeLessThan(6 * 1024 * 1024)
  await database.close()
  expect(statSync(log, {throwIfNoEntry: false})?.size ?? 0).toBe(0)
  expect(await countNotes(await open(database.location, {known: [notes]}))).toBe(10_008)
})

test("unused parts are emptied, and the log is truncated, as on a fast disk", async () => {
  const {database, log} = await openSlow()
  expect(await database.purge()).toBe("file")
  for (let n = 0; n < 10; n++) await database.write([note(kilobyte, n)])
  await database.truncateLog()
  expect(statSync(log).size).toBe(0)
  expect(await countNotes(database)).toBe(18)
})
