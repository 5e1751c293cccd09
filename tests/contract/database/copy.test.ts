import {join} from "node:path"
import {DatabaseSync} from "node:sqlite"
import {describe, expect, test} from "vitest"
import {copyRemote} from "../../../server/database/upkeep/copy-remote.ts"
import {type HranaOptions, makeFolder, startHrana} from "../../support/database/databases.ts"

/** The kinds of SQL objects that a plugin's tables may use. */
const schema = [
  "CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)",
  'CREATE TABLE child ("select" INTEGER REFERENCES later (id), "a ""b" BLOB, real REAL, twice INTEGER AS (real * 2) STORED)',
  "CREATE TABLE later (id INTEGER PRIMARY KEY, at REAL)",
  "CREATE TABLE keyed (a TEXT, b INTEGER, c TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID",
  "CREATE TABLE told (text TEXT)",
  "CREATE TABLE pair (one INTEGER, other INTEGER)",
  "CREATE UNIQUE INDEX some ON parent (name) WHERE name > 'n5'",
  "CREATE VIEW names AS SELECT name FROM parent",
  "CREATE TRIGGER tell AFTER INSERT ON parent BEGIN INSERT INTO told VALUES (new.name); END",
]

const rows = [
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1203) INSERT INTO parent SELECT i, 'n' || i FROM n",
  "DELETE FROM parent WHERE id = 1203",
  "INSERT INTO later VALUES (1, 2.0), (9007199254740993, -0.5)",
  'INSERT INTO child ("select", "a ""b", real) VALUES (1, x\'00ff\', 1.5), (9007199254740993, NULL, 2), (NULL, \'ä☃\n\', 1e300)',
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700) INSERT INTO keyed SELECT 'k' || (i % 7), i / 7, i FROM n",
  "INSERT INTO pair VALUES (0, 0)",
]

const remote = async (statements: readonly string[], options: Partial<HranaOptions> = {}) => {
  const file = join(makeFolder(), "remote.sqlite")
  const database = new DatabaseSync(file)
  for (const sql of statements) database.exec(sql)
  database.close()
  const server = await startHrana({file, ...options})
  return {file, server}
}

/** Everything in a database, with the types of its values. */
const contentOf = (file: string) => {
  const database = new DatabaseSync(file, {readOnly: true})
  const all = (sql: string) => {
    const prepared = database.prepare(sql)
    prepared.setReadBigInts(true)
    return prepared.all()
  }
  const objects = all("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
  const tables = objects.filter(({type}) => type === "table").map(({name}) => String(name))
  const content = tables.map(name => [name, all(`SELECT * FROM "${name}"`)])
  const types = all('SELECT typeof("select"), typeof("a ""b"), typeof(real), typeof(twice) FROM child ORDER BY 1, 2')
  const [sound] = all("PRAGMA integrity_check")
  database.close()
  return {objects, content, types, sound}
}

describe("a copy of a remote database, made by reading it,", () => {
  test.each([undefined, 4000])(
    "has every table, row, value, index, view and trigger (answers of at most %s bytes)",
    async most => {
      const {file, server} = await remote([...schema, ...rows], most === undefined ? {} : {mostBytes: most})
      const copy = join(makeFolder(), "copy.sqlite")
      const counted = new Map<string, number>()
      await copyRemote({url: server.url}, copy, (table, count) => counted.set(table, count))
      expect(contentOf(copy)).toEqual(contentOf(file))
      expect(Object.fromEntries(counted)).toEqual({parent: 1202, child: 3, later: 2, keyed: 700, told: 1203, pair: 1})
    },
  )

  test("is of one moment despite concurrent writes, and blocks no writer", async () => {
    const {file, server} = await remote([...schema, ...rows])
    const copy = join(makeFolder(), "copy.sqlite")
    let writes = 0
    await copyRemote({url: server.url}, copy, () => {
      server.sql("INSERT INTO keyed VALUES ('new', 1000000, 'new') ON CONFLICT DO UPDATE SET c = c || 'n' RETURNING 1")
      server.sql("UPDATE pair SET one = one + 1, other = other + 1 RETURNING 1")
      writes++
    })
    expect(writes).toBeGreaterThan(5)
    const of = (path: string) => Object.fromEntries(contentOf(path).content)
    expect(of(copy).pair).toEqual([{one: 0n, other: 0n}])
    expect(of(copy).keyed).toHaveLength(700)
    expect(of(file).pair).toEqual([{one: BigInt(writes), other: BigInt(writes)}])
  })

  test("is refused when it cannot be complete, and when the server does not answer", async () => {
    const {server} = await remote(["CREATE VIRTUAL TABLE found USING fts5 (text)"])
    const to = () => join(makeFolder(), "copy.sqlite")
    await expect(copyRemote({url: server.url}, to())).rejects.toMatchObject({
      code: "migration_refused",
      message: expect.stringContaining("the virtual table found"),
    })
    await server.close()
    await expect(copyRemote({url: server.url}, to())).rejects.toMatchObject({code: "database_unopenable"})
  })
})
