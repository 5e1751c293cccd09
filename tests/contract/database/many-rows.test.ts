import {describe, expect, test} from "vitest"
import {ManyRows, manyRows} from "../../../server/database/engine/many-rows.ts"
import type {Migration} from "../../../server/database/migrations/migrations.ts"
import {engines, localDatabase, open, watchDriver} from "../../support/database/databases.ts"

const lines: Migration = {
  version: 1,
  name: "lines",
  undo: "drop them",
  statements: ["CREATE TABLE lines (seq INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, n INTEGER, by TEXT)"],
}

const insert = manyRows(
  ["text", "n"],
  source => `INSERT INTO lines (text, n, by) SELECT d.text, d.n, ?1 FROM ${source} d RETURNING seq`,
  1,
)

/** As bytes: a driver would truncate a text at its NUL. */
const select = "SELECT seq, hex(CAST(text AS BLOB)) AS bytes, n, typeof(n) AS type, by FROM lines ORDER BY seq"

const lineOf = (text: string, n: number | null = null) => ({text, n})

const many = (count: number) => Array.from({length: count}, (_, n) => lineOf(`line ${n}`, n))

const cases = {
  "no row": [],
  "one row": [lineOf("one", 1)],
  "five rows, for which there is no size": many(5),
  "as many rows as the largest size": many(256),
  "more rows than the largest size": many(257),
  "a row with a NUL among others": [lineOf("a"), lineOf("b\0c", 1), lineOf("d")],
  "half a surrogate pair": [lineOf("a \ud83d b"), lineOf("\udc00")],
  "what JSON escapes": [lineOf('"\\/\b\f\n\r\t\u0001 ü € 😀 \u2028'), lineOf("'; --")],
  "long texts": [lineOf("x".repeat(200_000)), lineOf("ü".repeat(200_000))],
  "large, small and negative numbers": [0, -1, 2 ** 31, -(2 ** 40), Number.MAX_SAFE_INTEGER].map(n => lineOf("n", n)),
} as const

describe.each(engines)("$name", ({make}) => {
  test.for(Object.entries(cases))("stores %s without a gap, in every form", async ([, rows]) => {
    const database = await open(await make(), {known: [lines]})
    const [stored] = await database.write([insert(rows, ["Till"])])
    const seqs = rows.map((_, index) => index + 1)
    expect(stored?.rows.map(({seq}) => seq)).toEqual(seqs)
    const found = await database.read(select)
    const expected = rows.map(({text, n}, index) => ({
      seq: index + 1,
      bytes: Buffer.from(text.toWellFormed()).toString("hex").toUpperCase(),
      n,
      type: n === null ? "null" : "integer",
      by: "Till",
    }))
    expect(found.map(row => ({...row}))).toEqual(expected)
    await database.write([insert([lineOf("next")], ["Till"])])
    expect((await database.read("SELECT max(seq) AS last FROM lines"))[0]?.last).toBe(rows.length + 1)
  })
})

test("rows are bound, except those that would be truncated or are too long for one statement", () => {
  const boundOf = (name: keyof typeof cases) => insert(cases[name], ["Till"]).bound()?.args?.length
  expect(Object.fromEntries(Object.keys(cases).map(name => [name, boundOf(name as keyof typeof cases)]))).toEqual({
    "no row": 1 + 2,
    "one row": 1 + 2,
    "five rows, for which there is no size": 1 + 6 * 2,
    "as many rows as the largest size": 1 + 256 * 2,
    "more rows than the largest size": undefined,
    "a row with a NUL among others": undefined,
    "half a surrogate pair": 1 + 2 * 2,
    "what JSON escapes": 1 + 2 * 2,
    "long texts": undefined,
    "large, small and negative numbers": 1 + 6 * 2,
  })
})

test("a file prepares a statement for many rows once per size, for a few sizes only", async () => {
  const all = watchDriver()
  const database = await open(await localDatabase(), {known: [lines]})
  const prepared = () => all().filter(sql => sql.startsWith("INSERT INTO lines")).length
  for (let count = 1; count <= 256; count++) await database.write([insert(many(count), ["Till"])])
  expect(prepared()).toBe(16)
  for (let count = 256; count > 0; count--) await database.write([insert(many(count), ["Till"])])
  expect(prepared()).toBe(16)
  expect(insert(many(3), ["Till"])).toBeInstanceOf(ManyRows)
})
