import {setImmediate as turn} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {assertThat} from "../../../server/database/database.ts"
import {migrations} from "../../../server/database/migrations/migrations.ts"
import {problems} from "../../../shared/problems.ts"
import {countNotes, engines, localDatabase, note, notes, onSlowDisk, open} from "../../support/database/databases.ts"

const ids = (count: number, from = 1) => Array.from({length: count}, (_, index) => index + from)

/** Every engine of the Database Host passes this suite. */
describe.each([...engines, {name: "a local file on a slow disk", make: onSlowDisk}])("$name", ({make}) => {
  test("a new database gets every migration in order, and a second opening repeats none", async () => {
    const location = await make()
    const first = await open(location, {known: migrations})
    expect(first.applied).toEqual(migrations.map(({version}) => version))
    expect(first.state).toEqual({is: "initialized", schema: migrations.at(-1)?.version})
    await first.close()
    const second = await open(location)
    expect(second.applied).toEqual([])
    expect(second.state).toEqual(first.state.is === "closed" ? second.state : first.state)
  })

  test("an older schema gets only the missing migrations", async () => {
    const location = await make()
    await (await open(location, {known: migrations.slice(0, 2)})).close()
    expect((await open(location)).applied).toEqual(migrations.slice(2).map(({version}) => version))
  })

  test("a failed migration leaves nothing behind, and is applied once it is corrected", async () => {
    const location = await make()
    const broken = {
      version: 2,
      name: "more",
      undo: "drop it",
      statements: ["CREATE TABLE more (id INTEGER)", "CREATE TABLE notes (id)"],
    }
    await expect(open(location, {known: [notes, broken]})).rejects.toMatchObject({name: "Problem"})
    const tables = "SELECT name FROM sqlite_master WHERE name IN ('notes', 'more') ORDER BY name"
    const between = await open(location, {known: [notes]})
    expect(between.state).toEqual({is: "initialized", schema: 1})
    expect(await between.read(tables)).toEqual([{name: "notes"}])
    await between.close()
    const corrected = await open(location, {
      known: [notes, {...broken, statements: ["CREATE TABLE more (id INTEGER)"]}],
    })
    expect(corrected.applied).toEqual([2])
    expect(await corrected.read(tables)).toEqual([{name: "more"}, {name: "notes"}])
  })

  test("a signal stops the migrations between two statements, and the next start continues", async () => {
    const location = await make()
    const known = ids(60).map(version => ({
      version,
      name: `table ${version}`,
      undo: "drop it",
      statements: [`CREATE TABLE one_${version} (id INTEGER)`, `CREATE TABLE two_${version} (id INTEGER)`],
    }))
    const abort = new AbortController()
    const started = open(location, {known, signal: abort.signal})
    // A statement takes at least one turn, and there are more statements than turns here.
    for (let turns = 0; turns < 40; turns++) await turn()
    abort.abort()
    await expect(started).rejects.toMatchObject({code: "stopping"})
    const next = await open(location, {known})
    expect(next.applied).toEqual(ids(next.applied.length, 61 - next.applied.length))
    expect(next.applied.length).toBeGreaterThan(0)
    const [tables] = await next.read("SELECT count(*) AS n FROM sqlite_master WHERE name GLOB '*_[0-9]*'")
    expect(tables).toEqual({n: 120})
  })

  test("a schema from a newer version is refused and left unchanged", async () => {
    const location = await make()
    const newer = {version: 99, name: "future", undo: "drop it", statements: ["CREATE TABLE future (id INTEGER)"]}
    await (await open(location, {known: [notes, newer]})).close()
    await expect(open(location)).rejects.toMatchObject({
      code: "database_newer",
      message: expect.stringContaining("schema version 99"),
      hint: expect.stringContaining(problems.database_newer.hint),
    })
    expect((await open(location, {known: [notes, newer]})).applied).toEqual([])
  })

  test("a batch is stored completely or not at all", async () => {
    const database = await open(await make(), {known: [notes]})
    await expect(database.write([note("a", 1), note("a", -1), note("a", 2)])).rejects.toMatchObject({
      code: "database_refused",
    })
    expect(await countNotes(database)).toBe(0)
    await database.write([note("a", 1), note("a", 2)])
    expect(await countNotes(database)).toBe(2)
  })

  test.each([
    ["a constraint", note("bad", -1)],
    ["a table that does not exist", {sql: "INSERT INTO nowhere (n) VALUES (1)"}],
    [
      "a failure at run time",
      {sql: "INSERT INTO notes (writer, n) SELECT 'bad', json_extract(writer, '$') FROM notes"},
    ],
    ["a rule about transactions", {sql: "ROLLBACK"}],
    ["a rule about transactions after a comment", {sql: "/* all */ -- of it\n COMMIT"}],
    ["a column that does not exist", {sql: "INSERT INTO notes (nowhere) VALUES (1)"}],
    ["a syntax error", {sql: "INSERT IN notes"}],
    ["a missing argument's null", {sql: "INSERT INTO notes (writer, n) VALUES (?, ?)", args: ["bad", null]}],
    ["an assertion", assertThat("EXISTS (SELECT 1 FROM notes WHERE n > ?)", [1000])],
  ])("a batch that %s rejects removes only itself from its group", async (_, bad) => {
    const database = await open(await make(), {known: [notes]})
    const outcomes = await Promise.allSettled([
      database.write([note("a", 1), note("a", 2)]),
      database.write([note("bad", 3), bad]),
      database.write([note("c", 4)]),
    ])
    expect(outcomes).toEqual([
      {
        status: "fulfilled",
        value: [expect.objectContaining({rows: [{id: 1}]}), expect.objectContaining({rows: [{id: 2}]})],
      },
      {status: "rejected", reason: expect.objectContaining({code: "database_refused"})},
      {status: "fulfilled", value: [expect.objectContaining({rows: [{id: 3}]})]},
    ])
    expect(await database.read("SELECT writer, n FROM notes ORDER BY id")).toEqual([
      {writer: "a", n: 1},
      {writer: "a", n: 2},
      {writer: "c", n: 4},
    ])
  })

  test("an assertion that holds lets its batch through", async () => {
    const database = await open(await make(), {known: [notes]})
    await database.write([assertThat("NOT EXISTS (SELECT 1 FROM notes)"), note("a", 1)])
    expect(await countNotes(database)).toBe(1)
  })

  test("each statement of a batch gets its own rows and change count", async () => {
    const database = await open(await make(), {known: [notes]})
    await database.write([note("a", 1), note("a", 2), note("b", 3)])
    const results = await database.write([
      {sql: "UPDATE notes SET n = n + 1 WHERE writer = ?", args: ["a"]},
      {sql: "SELECT n FROM notes ORDER BY id"},
      {sql: "DELETE FROM notes WHERE writer = 'b'"},
      note("c", 4),
    ])
    expect(results).toEqual([
      {rows: [], changes: 2},
      {rows: [{n: 2}, {n: 3}, {n: 3}], changes: 0},
      {rows: [], changes: 1},
      {rows: [{id: 4}], changes: 0},
    ])
  })

  test("batches of many concurrent writers are all stored, in each writer's order", async () => {
    const location = await make()
    const database = await open(location, {known: [notes]})
    const writers = ids(40).map(writer => `w${writer}`)
    await Promise.all(
      writers.map(async writer => {
        for (const n of ids(25)) await database.write([note(writer, n)])
      }),
    )
    await database.close()
    const rows = await (await open(location, {known: [notes]})).read("SELECT id, writer, n FROM notes ORDER BY id")
    expect(rows.map(row => row.id)).toEqual(ids(1000))
    for (const writer of writers) expect(rows.filter(row => row.writer === writer).map(row => row.n)).toEqual(ids(25))
  })

  test("more batches than fit one group are all stored, in the order of their submission", async () => {
    const database = await open(await make(), {known: [notes]})
    const results = await Promise.all(ids(2500).map(n => database.write([note("a", n)])))
    expect(results.map(([result]) => result?.rows[0]?.id)).toEqual(ids(2500))
  })

  test("a read beside writers sees complete batches only, and every acknowledged one", async () => {
    const database = await open(await make(), {known: [notes]})
    let acknowledged = 0
    const writing = Promise.all(
      ids(8).map(async writer => {
        for (const n of ids(10)) {
          await database.write([note(`w${writer}`, n), note(`w${writer}`, n), note(`w${writer}`, n)])
          acknowledged += 3
        }
      }),
    )
    const seen = new Set<number>()
    while (acknowledged < 240) {
      const before = acknowledged
      const count = await countNotes(database)
      expect(count % 3).toBe(0)
      expect(count).toBeGreaterThanOrEqual(before)
      seen.add(count)
      await new Promise(resolve => setImmediate(resolve))
    }
    await writing
    expect(seen.size).toBeGreaterThan(1)
    expect(await countNotes(database)).toBe(240)
  })

  test("close stores earlier batches and refuses later ones", async () => {
    const location = await make()
    const database = await open(location, {known: [notes]})
    const writes = Promise.all(ids(50).map(n => database.write([note("a", n)])))
    const closed = database.close()
    await expect(database.write([note("late", 1)])).rejects.toMatchObject({code: "stopping"})
    await Promise.all([writes, closed])
    await expect(database.write([note("late", 2)])).rejects.toMatchObject({code: "stopping"})
    await expect(database.read("SELECT 1")).rejects.toMatchObject({code: "stopping"})
    expect(database.state).toEqual({is: "closed"})
    const after = await open(location, {known: [notes]})
    expect(await after.read("SELECT writer, count(*) AS n FROM notes GROUP BY writer")).toEqual([{writer: "a", n: 50}])
  })

  test("values come back as they were stored", async () => {
    const database = await open(await make(), {known: [notes]})
    await database.write([{sql: "CREATE TABLE kinds (i INTEGER, r REAL, t TEXT, b BLOB, n TEXT)"}])
    const text = "snow ☃, 𝄞, a quote ', a line\nand a tab\t"
    await database.write([
      {
        sql: "INSERT INTO kinds VALUES (?, ?, ?, ?, ?)",
        args: [Number.MAX_SAFE_INTEGER, 1.5, text, new Uint8Array([0, 1, 255]), null],
      },
    ])
    const [row] = await database.read("SELECT * FROM kinds")
    expect({...row, b: [...new Uint8Array(row?.b as ArrayBuffer)]}).toEqual({
      i: Number.MAX_SAFE_INTEGER,
      r: 1.5,
      t: text,
      b: [0, 1, 255],
      n: null,
    })
  })

  test("text with a NUL, which a driver would truncate, is refused", async () => {
    const database = await open(await make(), {known: [notes]})
    await expect(database.write([note("a\0b", 1)])).rejects.toMatchObject({code: "database_refused"})
    expect(await countNotes(database)).toBe(0)
  })
})

test("batches submitted together share a group, and each group has its own number", async () => {
  const database = await open(await localDatabase())
  const group = async () => Number((await database.read("SELECT number FROM svc_group WHERE id = 1"))[0]?.number)
  const meta = (key: string) => ({sql: "INSERT INTO svc_meta (key, value) VALUES (?, '')", args: [key]})
  const before = await group()
  await Promise.all(ids(20).map(n => database.write([meta(`together ${n}`)])))
  expect(await group()).toBe(before + 1)
  for (const n of ids(3)) await database.write([meta(`one by one ${n}`)])
  expect(await group()).toBe(before + 4)
})

test("batches of directly following turns share a group, and a single batch does not wait", async () => {
  const database = await open(await localDatabase())
  const group = async () => Number((await database.read("SELECT number FROM svc_group WHERE id = 1"))[0]?.number)
  const one = (key: string) => database.write([{sql: "INSERT INTO svc_meta (key, value) VALUES (?, '')", args: [key]}])
  await one("the first has to learn the group's number")

  const before = await group()
  let isStored = false
  const alone = one("alone").then(() => {
    isStored = true
  })
  for (let turns = 0; turns < 4; turns++) await turn()
  expect(isStored).toBe(true)
  await alone

  const writes: Promise<unknown>[] = []
  for (const n of ids(50)) {
    writes.push(one(`follows ${n}`))
    await turn()
  }
  await Promise.all(writes)
  expect(await group()).toBeLessThan(before + 1 + 50)
})
