import {expect, test} from "vitest"
import type {Migration} from "../../../server/database/migrations/migrations.ts"
import {noPolicy} from "../../../server/endpoints/policy.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {localDatabase, log, open, until, watchDriver} from "../../support/database/databases.ts"

/** Records the writing statements prepared by databases that are opened after this call. */
const watchPrepared = () => {
  const prepared = watchDriver()
  return () => prepared().filter(sql => !/^(SELECT|PRAGMA|BEGIN DEFERRED)\b/.test(sql))
}

/** Counts the prepared queries of databases that are opened after this call. */
const watchReads = () => {
  const prepared = watchDriver()
  return (query: string) => prepared().filter(sql => sql === query).length
}

const tables: Migration = {
  version: 1,
  name: "old and new",
  undo: "drop them",
  statements: ["CREATE TABLE old (x)", "CREATE TABLE new (x)", "INSERT INTO old VALUES (1)"],
}

test("the second message of an outbox prepares no statement that changes rows", async () => {
  const prepared = watchPrepared()
  const database = await open(await localDatabase())
  const outbox = new Outbox(database, log)
  const sender = {send: async ({id}: {id: string}) => ({ids: [id]})}
  await outbox.start({sender: () => sender, policy: () => noPolicy})
  const send = async (id: string) => {
    await outbox.enqueue({id, kind: "message", endpoint: "line", channel: "team", content: [id]})
    const stored = "SELECT 1 FROM outbox WHERE id = ? AND state = 'sent'"
    await until(`${id} to be stored as sent`, async () => (await database.read(stored, [id])).length === 1)
  }
  await send("first")
  const before = prepared()
  expect(before.filter(sql => sql.startsWith("INSERT INTO outbox"))).toHaveLength(1)
  await send("second")
  expect(prepared()).toEqual(before)
  await outbox.drain()
})

test("a kept statement with a * includes columns that its tables got since", async () => {
  const prepared = watchPrepared()
  const database = await open(await localDatabase(), {known: [tables]})
  const copy = {sql: "INSERT INTO new SELECT * FROM old"}
  const copyAndTell = {sql: "INSERT INTO new SELECT * FROM old RETURNING *"}
  await database.write([copy])
  expect((await database.write([copyAndTell]))[0]?.rows).toEqual([{x: 1}])
  await database.write([{sql: "ALTER TABLE old ADD COLUMN y"}, {sql: "ALTER TABLE new ADD COLUMN y"}])
  await database.write([{sql: "UPDATE old SET y = 2"}])
  await database.write([copy])
  expect(prepared().filter(sql => sql === copy.sql)).toHaveLength(1)
  expect((await database.write([copyAndTell]))[0]?.rows).toEqual([{x: 1, y: 2}])
  expect(await database.read("SELECT * FROM new")).toHaveLength(4)
})

test("a kept statement with fewer values than before binds NULL to the rest", async () => {
  const database = await open(await localDatabase(), {known: [tables]})
  const insert = (...args: readonly string[]) => database.write([{sql: "INSERT INTO new (x) VALUES (?)", args}])
  const read = (...args: readonly string[]) => database.read("SELECT ? AS a, ? AS b", args)
  await insert("secret")
  await insert()
  expect(await database.read("SELECT x FROM new ORDER BY rowid")).toEqual([{x: "secret"}, {x: null}])
  expect(await read("a", "b")).toEqual([{a: "a", b: "b"}])
  expect(await read("c")).toEqual([{a: "c", b: null}])
  expect(await read()).toEqual([{a: null, b: null}])
})

test("a kept query sees tables that changed since, and has the columns it names", async () => {
  const prepared = watchReads()
  const database = await open(await localDatabase(), {known: [tables]})
  const query = "SELECT o.x, count(*) AS n FROM old o GROUP BY o.x"
  expect(await database.read(query)).toEqual([{x: 1, n: 1}])
  await database.write([{sql: "ALTER TABLE old ADD COLUMN y DEFAULT 2"}])
  expect(await database.read(query)).toEqual([{x: 1, n: 1}])
  await database.write([{sql: "DROP TABLE old"}])
  await expect(database.read(query)).rejects.toThrow("no such table: old")
  await database.write([{sql: "CREATE TABLE old (y, x)"}, {sql: "INSERT INTO old VALUES (3, 4), (5, 4)"}])
  expect(await database.read(query)).toEqual([{x: 4, n: 2}])
  expect(prepared(query)).toBe(2)
})

test("a query with * is prepared each time, so that it has the current columns", async () => {
  const database = await open(await localDatabase(), {known: [tables]})
  const queries = ["SELECT * FROM old", "SELECT o.* FROM old o"]
  for (const query of queries) expect(await database.read(query)).toEqual([{x: 1}])
  await database.write([{sql: "ALTER TABLE old ADD COLUMN y DEFAULT 2"}])
  for (const query of queries) expect(await database.read(query)).toEqual([{x: 1, y: 2}])
})

test("the least recently used statement is dropped, not the oldest one", async () => {
  const prepared = watchReads()
  const database = await open(await localDatabase(), {known: [tables]})
  const used = "SELECT x FROM old WHERE x = ?"
  for (let n = 0; n < 600; n++) {
    await database.read(used, [1])
    await database.read(`SELECT ${n} AS n FROM old`)
  }
  await database.read("SELECT 0 AS n FROM old")
  expect(prepared(used)).toBe(1)
  expect(prepared("SELECT 0 AS n FROM old")).toBe(2)
})
