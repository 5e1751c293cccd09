import {expect, test} from "vitest"
import type {DatabaseFailure} from "../../../server/database/failing.ts"
import {countNotes, note, notes, open, remoteDatabase, until} from "../../support/database/databases.ts"
import {layCable} from "../../support/machine/cable.ts"

const timeout = 1000

/** A remote database behind a cable, with a time limit of a second. */
const behindCable = async () => {
  const {server} = await remoteDatabase()
  const cable = await layCable(Number(new URL(server.url).port))
  const url = `http://127.0.0.1:${cable.port}`
  const database = await open({dialect: "libsql", url, timeout}, {known: [notes]})
  const heard: (DatabaseFailure["code"] | "recovered")[] = []
  database.observe({failing: ({code}) => heard.push(code), recovered: () => heard.push("recovered")})
  return {server, cable, database, heard}
}

test("when connections hang, a batch is stored once over a new one, and the failure is reported", async () => {
  const {cable, database, heard} = await behindCable()
  await Promise.all([1, 2, 3, 4].map(() => database.read("SELECT 1")))
  cable.stall()
  await database.write([note("a", 1)])
  expect(await countNotes(database)).toBe(1)
  expect(heard).toEqual(["database_unanswered", "recovered"])
  expect(database.commits.unanswered).toBe(1)
  expect(database.state).toEqual({is: "initialized", schema: expect.any(Number)})
})

test("when connections hang, a read is answered over a new one", async () => {
  const {cable, database, heard} = await behindCable()
  cable.stall()
  expect(await countNotes(database)).toBe(0)
  expect(heard).toEqual(["database_unanswered", "recovered"])
})

test("when only answers are dropped, a batch is stored once", async () => {
  const {cable, database, heard} = await behindCable()
  cable.mute()
  await database.write([{sql: "INSERT INTO notes (writer, n) VALUES ('a', 1)"}])
  expect(await countNotes(database)).toBe(1)
  expect(heard).toEqual(["database_unanswered", "recovered"])
})

test.each<[string, (faults: Awaited<ReturnType<typeof behindCable>>) => void]>([
  ["hangs", ({cable}) => cable.stall("later")],
  ["refuses connections", ({cable}) => cable.cut()],
  ["closes connections on writes", ({server}) => server.drop("svc_lease_check")],
])("while the server %s, the state says why it does not renew the lease, until it does", async (_, spoil) => {
  const faults = await behindCable()
  const {server, cable, database, heard} = faults
  const why = () => (database.state.is === "initialized" ? database.state.unrenewed : undefined)
  spoil(faults)
  await until("the silence to be noticed", () => why() !== undefined)
  await database.read("SELECT 1").catch(() => {})
  expect(why()).toBeDefined()
  server.drop()
  cable.stall()
  cable.join(Number(new URL(server.url).port))
  await until("the lease to be renewed", () => why() === undefined)
  expect([heard[0], heard.at(-1)]).toEqual(["database_unanswered", "recovered"])
})

test("when nothing gets through, reads and writes end at their limit and say so at once", async () => {
  const {cable, database, heard} = await behindCable()
  cable.stall("later")
  const began = performance.now()
  const outcomes = await Promise.allSettled([database.write([note("a", 1)]), database.read("SELECT 1")])
  expect(outcomes.map(outcome => outcome.status === "rejected" && outcome.reason.code)).toEqual([
    "database_outcome_unknown",
    "database_unanswered",
  ])
  expect(performance.now() - began).toBeGreaterThan(timeout)
  expect(heard[0]).toBe("database_unanswered")
  expect(database.state).toMatchObject({failure: {code: expect.stringMatching(/unanswered|unknown/)}})
})
