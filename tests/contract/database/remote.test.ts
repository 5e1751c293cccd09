import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {newestSchema} from "../../../server/database/migrations/migrations.ts"
import {persist} from "../../../server/database/persist.ts"
import {Problem} from "../../../shared/problems.ts"
import {Secret} from "../../../shared/secret.ts"
import {countNotes, log, makeFolder, note, notes, open, remoteDatabase} from "../../support/database/databases.ts"
import {startHrana} from "../../support/database/hrana-server.ts"
import {until} from "../../support/host/process.ts"

/** Gives the lease to another Host, as may happen after this Host's lease has expired. */
const stealLease = "UPDATE svc_lease SET runtime_id = 'other', lease = lease + 1, until = 9e15 WHERE id = 1 RETURNING 1"

test("a second Host is refused with the lease holder, and starts once the first has closed", async () => {
  const {location} = await remoteDatabase()
  const first = await open(location, {runtimeId: "first-host"})
  await expect(open(location, {runtimeId: "second-host"})).rejects.toMatchObject({
    code: "locked",
    message: expect.stringMatching(/first-host; .*\blease\b.* ([1-9]|1[0-5]) s\b/),
    hint: expect.stringMatching(/^Stop .*\blease\b/),
  })
  await first.close()
  await open(location, {runtimeId: "second-host"})
})

test("of Hosts that start at the same time, one gets the lease", async () => {
  const {location} = await remoteDatabase()
  const starts = await Promise.allSettled(["a", "b", "c", "d"].map(runtimeId => open(location, {runtimeId})))
  expect(starts.map(({status}) => status).sort()).toEqual(["fulfilled", "rejected", "rejected", "rejected"])
})

const leaseOfTheDead = (milliseconds: number) =>
  `UPDATE svc_lease SET runtime_id = 'dead-host', lease = 7, until = unixepoch() * 1000 + ${milliseconds} RETURNING 1`

test("a Host waits until the lease of a dead Host expires, and only reads meanwhile", async () => {
  const {location, server} = await remoteDatabase()
  await (await open(location)).close()
  const writesOf = async (runtimeId: string) => {
    const before = server.begun
    const database = await open(location, {runtimeId})
    const begun = server.begun - before
    expect(server.sql("SELECT runtime_id FROM svc_lease")).toEqual([{runtime_id: runtimeId}])
    await database.close()
    return begun
  }
  const withoutWaiting = await writesOf("first-host")
  server.sql(leaseOfTheDead(2500))
  expect(await writesOf("next-host")).toBe(withoutWaiting)
  expect(server.sql("SELECT lease FROM svc_lease")).toEqual([{lease: 8}])
})

test("a signal ends the wait for a lease", async () => {
  const {location, server} = await remoteDatabase()
  await (await open(location)).close()
  server.sql(leaseOfTheDead(3_600_000))
  const abort = new AbortController()
  const started = open(location, {signal: abort.signal})
  setTimeout(() => abort.abort(), 300)
  await expect(started).rejects.toMatchObject({code: "stopping"})
  expect(server.sql("SELECT runtime_id FROM svc_lease")).toEqual([{runtime_id: "dead-host"}])
})

test("after the lease has passed to another Host, every batch is aborted and stores nothing", async () => {
  const {location, server} = await remoteDatabase()
  let lost = 0
  const database = await open(location, {known: [notes], onLeaseLost: () => lost++})
  await database.write([note("mine", 1)])
  server.sql(stealLease)
  const outcomes = await Promise.allSettled([1, 2, 3].map(n => database.write([note("late", n)])))
  expect(outcomes.map(outcome => outcome.status === "rejected" && outcome.reason.code)).toEqual(
    Array(3).fill("lease_lost"),
  )
  await expect(database.write([note("late", 4)])).rejects.toMatchObject({code: "lease_lost"})
  await expect(database.migrate([{sql: "CREATE TABLE late (id)"}], new AbortController().signal)).rejects.toMatchObject(
    {code: "lease_lost"},
  )
  expect(server.sql("SELECT writer, n FROM notes")).toEqual([{writer: "mine", n: 1}])
  expect(server.sql("SELECT 1 FROM sqlite_master WHERE name = 'late'")).toEqual([])
  expect(lost).toBe(1)
})

test("closing after losing the lease leaves the other Host's lease alone", async () => {
  const {location, server} = await remoteDatabase()
  const database = await open(location)
  server.sql(stealLease)
  await database.close()
  expect(server.sql("SELECT runtime_id FROM svc_lease WHERE until > 0")).toEqual([{runtime_id: "other"}])
})

const leaseLeft = "SELECT until - CAST(unixepoch('subsec') * 1000 AS INTEGER) AS ms FROM svc_lease"

test("a migration has a longer lease, so that no waiting Host asks for the writer meanwhile", async () => {
  const {location, server} = await remoteDatabase()
  const migration = {...notes, statements: [...notes.statements, `CREATE TABLE seen AS ${leaseLeft}`]}
  await open(location, {known: [migration]})
  expect(Number(server.sql("SELECT ms FROM seen")[0]?.ms)).toBeGreaterThan(50_000)
  expect(Number(server.sql(leaseLeft)[0]?.ms)).toBeLessThanOrEqual(15_000)
})

test("the lease is renewed while the Host lives, and its loss is noticed without a write", async () => {
  const {location, server} = await remoteDatabase()
  let lost = false
  await open(location, {
    onLeaseLost: () => {
      lost = true
    },
  })
  const left = () => Number(server.sql(leaseLeft)[0]?.ms)
  server.sql("UPDATE svc_lease SET until = until - 9000 WHERE id = 1 RETURNING 1")
  expect(left()).toBeLessThan(6500)
  await until("the lease to be renewed", () => left() > 10_000)
  expect(lost).toBe(false)
  server.sql(stealLease)
  await until("the loss to be noticed", () => lost)
})

const writers = (database: Database) => database.read("SELECT writer FROM notes ORDER BY id")

const quiet = (writer: string, n: number) => ({sql: "INSERT INTO notes (writer, n) VALUES (?, ?)", args: [writer, n]})

test("a batch that is cut off is submitted again under its number, and stored once", async () => {
  const {location, server} = await remoteDatabase()
  const database = await open(location, {known: [notes]})
  server.cutNext("before", "notes")
  expect((await database.write([note("before", 1)]))[0]?.rows).toEqual([{id: 1}])
  server.cutNext("after", "notes")
  await database.write([quiet("after", 2)])
  server.cutNext("held", "notes")
  await database.write([note("held", 3)])
  server.deliver()
  await database.write([note("next", 4)])
  expect(await writers(database)).toEqual(["before", "after", "held", "next"].map(writer => ({writer})))
})

test("a batch whose returned rows were lost has an unknown outcome and is stored once", async () => {
  const {location, server} = await remoteDatabase()
  const database = await open(location, {known: [notes]})
  server.cutNext("after", "notes")
  await expect(database.write([note("after", 1)])).rejects.toMatchObject({code: "database_outcome_unknown"})
  await database.write([note("next", 2)])
  expect(await writers(database)).toEqual([{writer: "after"}, {writer: "next"}])
})

/** The server stores no text of more than 5,000 bytes, and rejects the whole request. */
const rejected = (writer: string) => ({
  sql: `INSERT INTO notes (writer, n) VALUES (?, 1 /* ${"é".repeat(2600)} */)`,
  args: [writer],
})

/** The server closes the connection at each request with it. */
const dropping = (writer: string) => note(`${writer} closes`, 1)

test.each([
  ["the server rejects the whole request", rejected],
  ["the server closes the connection instead of an answer", dropping],
])("a batch at which %s is named, and the others of its group are stored", async (_, bad) => {
  const {location, server} = await remoteDatabase()
  const database = await open(location, {known: [notes]})
  server.drop("closes")
  const outcomes = await Promise.allSettled([
    database.write([quiet("a", 1)]),
    database.write([bad("b")]),
    database.write([quiet("c", 3)]),
  ])
  expect(outcomes.map(({status}) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect(outcomes[1]).toMatchObject({
    reason: {code: "database_failed", message: expect.stringContaining("INSERT INTO notes")},
  })
  expect(await writers(database)).toEqual([{writer: "a"}, {writer: "c"}])
  expect(database.state).toEqual({is: "initialized", schema: 1})
})

test("a change at which the database fails again and again is refused if others are stored, else waited for", async () => {
  const {location, server} = await remoteDatabase()
  const database = await open(location, {known: [notes]})
  server.drop("closes")
  let isOver = false
  const bad = persist("a change", log, () => database.write([dropping("bad")])).finally(() => {
    isOver = true
  })
  void bad.catch(() => {})
  for (let n = 0; !isOver; n++) {
    await database.write([quiet("good", n)])
    await sleep(20)
  }
  await expect(bad).rejects.toMatchObject({code: "database_refused", message: expect.stringContaining("notes")})
  server.drop(/./)
  let tries = 0
  const patient = persist("a change", log, () => {
    tries++
    return database.write([quiet("patient", 1)])
  })
  await until("the change to have failed as often", () => tries > 5)
  server.drop()
  await patient
  expect(await database.read("SELECT DISTINCT writer FROM notes")).toEqual([{writer: "good"}, {writer: "patient"}])
})

test("a busy server has stored nothing, and an opening says that it is busy", async () => {
  const other = await remoteDatabase()
  other.server.setBusy(true)
  await expect(open(other.location, {known: [notes]})).rejects.toMatchObject({code: "database_busy"})
  const {location, server} = await remoteDatabase()
  const database = await open(location, {known: [notes]})
  server.setBusy(true)
  await expect(database.write([quiet("a", 1)])).rejects.toMatchObject({code: "database_busy"})
  server.setBusy(false)
  await database.write([quiet("b", 1)])
  expect(await writers(database)).toEqual([{writer: "b"}])
})

test("tools that read a database before it has a lease refuse it and leave its lease alone", async () => {
  const {location, server} = await remoteDatabase()
  await open(location, {runtimeId: "its-host"})
  const beforeLease = async ({state}: Pick<Database, "state">) => {
    throw new Problem("authority_mismatch", JSON.stringify(state))
  }
  await expect(open(location, {runtimeId: "a-stranger", beforeLease})).rejects.toMatchObject({
    code: "authority_mismatch",
    message: `{"is":"initialized","schema":${newestSchema}}`,
  })
  expect(server.sql("SELECT runtime_id, lease FROM svc_lease")).toEqual([{runtime_id: "its-host", lease: 1}])
})

test("a database that cannot be reached is refused with its address", async () => {
  const {location, server} = await remoteDatabase()
  await server.close()
  await expect(open(location)).rejects.toMatchObject({
    code: "database_unopenable",
    message: expect.stringContaining(new URL(server.url).host),
    hint: expect.stringContaining("database.url"),
  })
})

test.each([
  ["cuts texts at a NUL", {isOld: true}, /\b3\.43\.0\b.*\bNUL\b/],
  ["has no tables of this kind", {lacks: "WITHOUT ROWID"}, /\b3\.\d+\.\d+\b.*WITHOUT ROWID/],
])("a server that %s is refused with its version and the oldest that serves, unchanged", async (_, how, named) => {
  const server = await startHrana({file: join(makeFolder(), "remote.sqlite"), ...how})
  await expect(open({dialect: "libsql", url: server.url})).rejects.toMatchObject({
    code: "database_unopenable",
    message: expect.stringMatching(named),
    hint: expect.stringContaining("3.45"),
  })
  expect(server.sql("SELECT name FROM sqlite_master")).toEqual([])
})

test("an opening goes on when the server closes the connections of its reads a few times", async () => {
  const {location, server} = await remoteDatabase()
  server.drop("sqlite_master", 5)
  await open(location)
})

test.each([
  ["sqlite_master", "SELECT sqlite_master"],
  ["json_each", "SELECT json_each"],
  ["INSERT OR IGNORE", "INSERT OR IGNORE INTO svc_lease"],
])("an opening whose request with %s the server never answers names %j", async (text, kind) => {
  const {location, server} = await remoteDatabase()
  server.drop(text)
  await expect(open(location)).rejects.toMatchObject({
    code: "database_unopenable",
    message: expect.stringContaining(kind),
    cause: expect.any(Error),
  })
})

test("the token is sent, and a wrong one is refused without being shown", async () => {
  const server = await startHrana({file: join(makeFolder(), "remote.sqlite"), token: "the-right-token"})
  const at = (token: string) => ({dialect: "libsql", url: server.url, authToken: new Secret(token)}) as const
  const refused = await open(at("a-wrong-token")).catch(error => error)
  expect(refused).toMatchObject({code: "database_unopenable", hint: expect.stringContaining("database.authToken")})
  expect(refused.message).not.toContain("a-wrong-token")
  expect(await countNotes(await open(at("the-right-token"), {known: [notes]}))).toBe(0)
})
