import {expect, test} from "vitest"
import type {Database, Statement} from "../../../server/database/database.ts"
import {ManyRows} from "../../../server/database/engine/many-rows.ts"
import {gatherClaims, gatherEnds} from "../../../server/inbox/mark-batches.ts"
import {gatherFinishes} from "../../../server/outbox/rows.ts"
import {adoptDatabase} from "../../../server/recovery/restore/adopt.ts"
import {localDatabase, open} from "../../support/database/databases.ts"
import {inboxRow, insert, outboxRow} from "../../support/database/insert.ts"

/** A database that records the statements it is asked to write. */
const recorder = (database: Database) => {
  const written: Statement[] = []
  const recording: Pick<Database, "read" | "write" | "state"> = {
    state: database.state,
    read: (sql, args) => database.read(sql, args),
    write: statements => {
      written.push(...statements)
      return database.write(statements)
    },
  }
  return {written, recording: recording as Database}
}

/** For each update of rows by parameters: the table that SQLite visits first, and how it finds each row. */
const plansOf = async (database: Database, written: readonly Statement[]) => {
  const updates = written.filter(({sql}) => sql.startsWith("UPDATE") && /json_each|VALUES/.test(sql))
  return Promise.all(
    updates.map(async ({sql, args = []}) => {
      const plan = await database.read(`EXPLAIN QUERY PLAN ${sql}`, args)
      const [first, ...others] = plan.map(({detail}) => String(detail))
      const found = others.find(detail => /^SEARCH (outbox|inbox_marks|m) /.test(detail))
      return [
        first?.replace(/ (json_each|r) /, " rows ").replace(/MATERIALIZE .*/, "MATERIALIZE rows"),
        found?.replace(/^SEARCH \w+ /, ""),
      ]
    }),
  )
}

/** The same statements as a file engine runs them. */
const boundOf = (written: readonly Statement[]): readonly Statement[] =>
  written.flatMap(statement => (statement instanceof ManyRows ? (statement.bound() ?? []) : []))

const rows = "SCAN rows VIRTUAL TABLE INDEX 1:"
const byMark = "USING PRIMARY KEY (seq=? AND handler=?)"
const byMessage = "USING INDEX sqlite_autoindex_outbox_1 (id=?)"

test.for([1, 3, 256])("the results of %i handlers and sends are found by key, not by a scan of states", async n => {
  const database = await open(await localDatabase())
  const {written, recording} = recorder(database)
  const seqs = Array.from({length: n}, (_, index) => index + 1)
  const claims = gatherClaims(recording, "run")
  const ends = gatherEnds(recording)
  const finishes = gatherFinishes(recording)
  const edited = {outbox: "a", ids: ["p"]}
  await Promise.all(seqs.map(seq => claims.store({seq, handler: "h"})))
  await Promise.all(seqs.map(seq => ends.store({key: {seq, handler: "h", attempt: 1}, departures: []})))
  await Promise.all(seqs.map(seq => finishes.store({end: {is: "sent", ids: ["p"], edited}, seq, attempt: 1})))
  const plans = (first: string) => [
    [first, byMark],
    [first, byMark],
    [first, byMessage],
    [first, "USING INTEGER PRIMARY KEY (rowid=?)"],
  ]
  expect(await plansOf(database, written)).toEqual(plans(rows))
  expect(await plansOf(database, boundOf(written))).toEqual(plans("MATERIALIZE rows"))
})

test("a restore finds sent and handled rows since the checkpoint by key", async () => {
  const replaced = await open(await localDatabase())
  const database = await open(await localDatabase())
  const fill = (state: string, mark: string, to: Database) =>
    to.write([
      outboxRow("a", {state}),
      outboxRow("b", {progress: '{"done": 1, "of": 2}'}),
      inboxRow(),
      insert("inbox_marks", {seq: 1, handler: "h", state: mark, attempt: 0}),
    ])
  await fill("queued", "pending", database)
  await fill("sent", "handled", replaced)
  const {written, recording} = recorder(database)
  await adoptDatabase(recording, {authority: "x", at: 0, checkpoint: "c", from: "y"}, replaced)
  expect(await plansOf(database, written)).toEqual([
    [rows, byMessage],
    [rows, byMark],
    [rows, byMessage],
  ])
})
