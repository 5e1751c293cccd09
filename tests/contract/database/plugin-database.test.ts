import {expect, test} from "vitest"
import {pluginDatabase} from "../../../server/generation/plugins/plugin-database.ts"
import {Type} from "../../../shared/type.ts"
import {engines, open} from "../../support/database/databases.ts"

const Note = Type.Object({
  id: Type.Integer(),
  text: Type.String({maxLength: 20}),
  done: Type.Boolean(),
  stars: Type.Union([Type.Integer(), Type.Null()]),
})

const start = async (make: (typeof engines)[number]["make"]) => {
  const database = await open(await make())
  const create =
    "CREATE TABLE p_notes_all (id INTEGER PRIMARY KEY, text TEXT UNIQUE, done INTEGER NOT NULL DEFAULT 0, stars INTEGER)"
  await database.migrate([{sql: create}], new AbortController().signal)
  return pluginDatabase("notes", database)
}

const add = (text: string | number, stars: number | null = null) => ({
  sql: "INSERT INTO p_notes_all (text, stars) VALUES (?, ?)",
  args: [text, stars],
})

test.each(engines)("a plugin's write returns the result of each statement: $name", async ({make}) => {
  const {write} = await start(make)
  const results = await write([
    add("milk"),
    {...add("tea", 3), sql: `${add("").sql} RETURNING *`, row: Note},
    {sql: "UPDATE p_notes_all SET done = 1"},
    {sql: "DELETE FROM p_notes_all WHERE text = 'none, returning'"},
    {sql: "SELECT count(*) AS n, 'returning' AS word FROM p_notes_all", row: Type.Object({n: Type.Integer()})},
  ])
  expect(results).toEqual([
    {changes: 1, rows: []},
    {changes: 1, rows: [{id: 2, text: "tea", done: false, stars: 3}]},
    {changes: 2, rows: []},
    {changes: 0, rows: []},
    {changes: 0, rows: [{n: 2, word: "returning"}]},
  ])
  expect(await write([])).toEqual([])
})

test.each(engines)("rows are checked by their schema, and no error shows a text: $name", async ({make}) => {
  const {read, write} = await start(make)
  await write([add("milk", 2), add("my secret diary, page one")])
  const all = "SELECT * FROM p_notes_all WHERE id = ?"
  expect(await read(all, [1], Note)).toEqual([{id: 1, text: "milk", done: false, stars: 2}])
  expect(await read(all, [1])).toMatchObject([{done: 0}])
  const refused = async (sql: string, row: typeof Note | ReturnType<typeof Type.Object>) =>
    read(sql, [], row)
      .then(() => "fits")
      .catch((error: unknown) => String(error))
  const found = await Promise.all([
    refused("SELECT * FROM p_notes_all ORDER BY id", Note),
    refused("SELECT 'my secret' AS n", Type.Object({n: Type.Integer()})),
    refused("SELECT 7 AS n", Type.Object({n: Type.String()})),
    refused("SELECT NULL AS n", Type.Object({n: Type.String()})),
    refused("SELECT x'0102' AS n", Type.Object({n: Type.String()})),
    refused("SELECT 'secrex' AS n", Type.Object({n: Type.Enum(["secret", "other"])})),
    refused("SELECT 1 AS m", Type.Object({n: Type.Integer()})),
  ])
  expect(found.join("\n")).not.toMatch(/my secret|secrex/)
  expect(found).toEqual([
    expect.stringMatching(/column text: .* \(row 2 of 2\)$/),
    expect.stringContaining("database.read(): column n: expected an integer, got text (row 1 of 1)"),
    expect.stringContaining("column n: expected text, got 7"),
    expect.stringContaining("column n: expected text, got nothing"),
    expect.stringContaining("column n: expected text, got bytes"),
    expect.stringContaining("column n: expected one of secret, other, got text (row"),
    expect.stringContaining("column n: is missing"),
  ])
})

test("a batch whose rows do not fit is stored, and the problem says so", async () => {
  const [local] = engines
  if (local === undefined) throw new Error("there is no engine")
  const {read, write} = await start(local.make)
  const statement = {...add("milk"), sql: `${add("").sql} RETURNING stars`, row: Type.Object({stars: Type.Integer()})}
  await expect(write([add("tea"), statement])).rejects.toMatchObject({
    code: "row_invalid",
    message: expect.stringMatching(/^statement 2 of database\.write\(\), .*: column stars\b/),
  })
  expect(await read("SELECT count(*) AS n FROM p_notes_all")).toEqual([{n: 2}])
})
