import {copyFileSync, statSync, truncateSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import type {Damage} from "../../../server/database/failing.ts"
import {checkTables} from "../../../server/database/upkeep/maintenance.ts"
import {storing} from "../../../server/inbox/intake/arrivals.ts"
import {neededToAcknowledge} from "../../../server/project/capacity/damage-watch.ts"
import {damageAt, damagePage, leavesOf} from "../../support/database/damage.ts"
import {makeFolder, notes, open, remoteDatabase, startHrana} from "../../support/database/databases.ts"
import {Chance, faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"

const signal = new AbortController().signal

const arrival = (id: string) => ({
  endpoint: "line",
  id,
  conversation: "team",
  type: "message-created",
  at: 1,
  event: JSON.stringify({text: "x".repeat(400)}),
  raw: null,
  handlers: ["h"],
  claimed: [],
  content: null,
  also: [],
})

/** A closed database whose inbox and event log have several pages. */
const makeFile = async (): Promise<string> => {
  const file = join(makeFolder(), "data.sqlite")
  const database = await open({dialect: "sqlite", file})
  await database.write(storing(Array.from({length: 200}, (_, n) => `event ${n}`).map(arrival), "run"))
  await database.close()
  return file
}

/** A copy of that file in which one leaf of each of these tables is damaged. */
const makeDamaged = async (...tables: readonly string[]): Promise<string> => {
  const intact = await makeFile()
  const file = join(makeFolder(), "data.sqlite")
  copyFileSync(intact, file)
  damageAt(file, await leavesOf(intact), tables)
  return file
}

const damageIn = ({state}: Database): Damage | undefined => (state.is === "initialized" ? state.damage : undefined)

const run = faultRun("page-damage")
test(`a damaged leaf in any of ${run.rounds} places is named with its table (seed ${run.seed})`, async () => {
  tellHowToRepeat(run)
  const chance = new Chance(run.seed)
  const intact = await makeFile()
  const leaves = await leavesOf(intact)
  const tables = [...new Set(leaves.map(({table}) => table))]
  for (let round = 0; round < run.rounds; round++) {
    const table = chance.pick(tables)
    const {page} = chance.pick(leaves.filter(leaf => leaf.table === table))
    const file = join(makeFolder(), "data.sqlite")
    copyFileSync(intact, file)
    damagePage(file, page)
    const heard: Damage[] = []
    const told = await open({dialect: "sqlite", file}, {isScratch: true}).then(
      async database => {
        database.observe({damaged: damage => heard.push(damage)})
        const {damaged} = await database.check(signal)
        expect(damageIn(database)?.tables, `page ${page}`).toEqual(damaged.map(each => each.table))
        expect(heard.at(-1)?.tables).toEqual(damageIn(database)?.tables)
        await database.close()
        return damaged.map(each => each.table)
      },
      ({code}) => (code === "database_corrupt" ? [table] : [code]),
    )
    expect(told, `page ${page}`).toEqual([table])
  }
})

test("a sound database has no findings, nor has a remote one, which only its server can check", async () => {
  const database = await open({dialect: "sqlite", file: await makeFile()})
  expect(await database.check(signal)).toEqual({damaged: [], unchecked: []})
  expect(damageIn(database)).toBeUndefined()
  const remote = await open((await remoteDatabase()).location, {known: [notes]})
  expect(await remote.check(signal)).toEqual({damaged: [], unchecked: []})
})

const locations = {
  file: async (file: string) => ({dialect: "sqlite", file}) as const,
  "remote database": async (file: string) => ({dialect: "libsql", url: (await startHrana({file})).url}) as const,
}

test.each([
  ["file", ["job_runs", "timers"]],
  ["remote database", []],
] as const)("a read of a %s reports damage at once, and a write that meets it fails alone", async (where, tables) => {
  const database = await open(await locations[where](await makeDamaged("job_runs", "timers")))
  const heard: Damage[] = []
  database.observe({damaged: damage => heard.push(damage)})
  const corrupt = {code: "database_corrupt"}
  await expect(database.read("SELECT * FROM job_runs")).rejects.toMatchObject(corrupt)
  expect(heard).toMatchObject([{tables: []}])
  const [first, second, third] = await Promise.allSettled([
    database.write([{sql: "INSERT INTO svc_meta (key, value) VALUES ('one', 1)"}]),
    database.write([{sql: "DELETE FROM timers"}]),
    database.write([{sql: "INSERT INTO svc_meta (key, value) VALUES ('two', 2)"}]),
  ])
  expect([first?.status, second, third?.status]).toMatchObject([
    "fulfilled",
    {status: "rejected", reason: corrupt},
    "fulfilled",
  ])
  await database.check(signal)
  expect(damageIn(database)?.tables).toEqual(tables)
  expect(await database.read("SELECT key FROM svc_meta WHERE key IN ('one', 'two')")).toHaveLength(2)
})

test.each([
  ["a header that is not SQLite's", (file: string) => damagePage(file, 1)],
  ["fewer pages than its header says", (file: string) => truncateSync(file, statSync(file).size - 4096)],
  ["a log that is not SQLite's", (file: string) => writeFileSync(`${file}-wal`, Buffer.alloc(4152))],
])("a file with %s is lost, and not only damaged", async (_, change) => {
  // A copy: on Bun, the closed connection removes the log of its file later.
  const file = join(makeFolder(), "copy.sqlite")
  copyFileSync(await makeFile(), file)
  writeFileSync(`${file}-wal`, "")
  expect((await checkTables(file, signal)).damaged).toEqual([])
  writeFileSync(`${file}-wal`, "")
  change(file)
  await expect(checkTables(file, signal)).rejects.toMatchObject({code: "database_replaced"})
})

test("a table whose check would let the log grow is left out, and the others are checked", async () => {
  const file = await makeDamaged("timers")
  const database = await open({dialect: "sqlite", file})
  // A check of a table evaluates its constraints, which takes as long as the check of a gigabyte.
  const slow = "CREATE TABLE slow (n INTEGER CHECK (length(hex(zeroblob(20000000 + n))) > 0))"
  await database.migrate([{sql: slow}], signal)
  await database.write(Array.from({length: 30}, (_, n) => ({sql: "INSERT INTO slow VALUES (?)", args: [n]})))
  let isChecking = true
  const writing = (async () => {
    for (let n = 0; isChecking; n++) {
      await database.write([
        {sql: "INSERT INTO svc_meta (key, value) VALUES (?, ?)", args: [`k${n}`, "v".repeat(20_000)]},
      ])
      await sleep(5)
    }
  })()
  const checked = await checkTables(file, signal, 2_000_000).finally(() => {
    isChecking = false
  })
  await writing
  expect(checked).toMatchObject({damaged: [{table: "timers"}], unchecked: ["slow"]})
})

test("ingress closes for damage in each table that storing an event reads or writes", async () => {
  const database = await open({dialect: "sqlite", file: await makeFile()})
  const roots = await database.read("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0")
  const tableAt = new Map(roots.map(row => [Number(row.rootpage), String(row.tbl_name)]))
  const statements = [...storing([arrival("new")], "run"), {sql: "UPDATE svc_group SET number = 1", args: []}]
  const opened = new Set<string>()
  for (const {sql, args = []} of statements) {
    const program = await database.read(`EXPLAIN ${sql}`, args)
    for (const {opcode, p2, p3} of program)
      if (/^Open(Read|Write)$/.test(String(opcode)) && p3 === 0) opened.add(tableAt.get(Number(p2)) ?? "sqlite_schema")
  }
  expect(opened.size).toBeGreaterThan(4)
  expect([...opened].filter(table => !neededToAcknowledge.has(table))).toEqual([])
})
