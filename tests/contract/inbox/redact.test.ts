import {readFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {redactInbox} from "../../../server/inbox/user/redact.ts"
import {redactOutbox} from "../../../server/outbox/upkeep/redact.ts"
import {engines, localDatabase, open} from "../../support/database/databases.ts"
import {inboxRow, insert, outboxRow} from "../../support/database/insert.ts"

const secret = "correct-horse-battery"

const event = {
  type: "message-created",
  timestamp: 1,
  login: {platform: "sandbox"},
  channel: {id: "c", type: 0, name: secret},
  user: {id: "u", name: secret},
  message: {id: "1", content: `it is ${secret}`},
  referrer: {secret},
  _data: {secret},
}

const store = (database: Database, marks: string, messages: string, padding = "") =>
  database.write([
    inboxRow({event: JSON.stringify(event), raw: secret}),
    insert("inbox_marks", {seq: 1, handler: "h", state: marks, error: secret}),
    outboxRow("m", {
      content: JSON.stringify([`got ${secret}${padding}`]),
      state: messages,
      error: secret,
      inbox_seq: 1,
    }),
  ])

const dump = async (database: Database): Promise<string> => {
  const tables = ["inbox", "inbox_marks", "outbox", "events"]
  return JSON.stringify(await Promise.all(tables.map(table => database.read(`SELECT * FROM ${table}`))))
}

describe.each(engines)("in $name", ({make}) => {
  test("redaction clears the event and its replies from every row, and discards held ones", async () => {
    const database = await open(await make())
    await store(database, "dead", "held")
    await redactInbox(database, 1, null, [])
    await redactOutbox(database, "m", "typed by mistake")
    expect(await dump(database)).not.toContain(secret)
    expect(await database.read("SELECT state FROM inbox_marks UNION ALL SELECT state FROM outbox")).toEqual([
      {state: "discarded"},
      {state: "discarded"},
    ])
    const told = await database.read("SELECT data FROM events WHERE type = 'message.redacted' ORDER BY offset")
    expect(told.map(({data}) => JSON.parse(String(data)))).toEqual([
      {sn: 1, message: null, reason: null},
      {sn: 1, message: "m", reason: "typed by mistake"},
    ])
  })

  test.each([
    ["pending", "queued"],
    ["running", "sending"],
  ])("redaction does not touch a row that is %s or %s", async (marks, messages) => {
    const database = await open(await make())
    await store(database, marks, messages)
    const before = await dump(database)
    await expect(redactInbox(database, 1, null, [])).rejects.toMatchObject({code: "inbox_state"})
    await expect(redactOutbox(database, "m", null)).rejects.toMatchObject({code: "outbox_state"})
    await expect(redactOutbox(database, "other", null)).rejects.toMatchObject({code: "outbox_unknown"})
    expect(await dump(database)).toBe(before)
  })
})

test("redaction also clears the copies that SQLite leaves in file and log when it moves a row", async () => {
  const location = await localDatabase()
  const database = await open(location)
  const file = location.dialect === "sqlite" ? location.file : ""
  await store(database, "handled", "sent")
  // Rows around it grow and shrink, so that SQLite moves it.
  for (let round = 0; round < 40; round++) {
    await database.write([
      outboxRow(`other-${round}`, {content: "x".repeat(round * 10), state: "sent"}),
      {sql: "UPDATE outbox SET error = ? WHERE id = 'm'", args: ["y".repeat((round * 97) % 600)]},
    ])
  }
  const occurs = () => ["", "-wal"].map(end => readFileSync(`${file}${end}`).includes(secret))
  expect(occurs()).toContain(true)
  expect(await redactInbox(database, 1, null, [])).toEqual({erased: "file"})
  expect(await redactOutbox(database, "m", null)).toEqual({erased: "file"})
  expect(occurs()).toEqual([false, false])
})
