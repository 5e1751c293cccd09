import {join} from "node:path"
import {expect, onTestFinished, test} from "vitest"
import {createKeepingClient, type LocalClient} from "../../../server/database/engine/prepared.ts"
import {makeFolder} from "../../support/database/databases.ts"
import {errorOf} from "../../support/host/problems.ts"

/** Two clients of one file: the first to change it holds the lock. */
const makeClients = async () => {
  const file = join(makeFolder(), "data.sqlite")
  const openClient = () => {
    const client = createKeepingClient(file, 20)
    onTestFinished(() => client.close())
    return client
  }
  const client = openClient()
  await client.executeMultiple(
    "PRAGMA journal_mode=WAL; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE CHECK (text <> ''))",
  )
  await client.execute("INSERT INTO notes (id, text) VALUES (1, 'one')")
  return {client, stranger: openClient()}
}

const factsOf = async (step: Promise<unknown>): Promise<object> => {
  const error = await errorOf(step)
  if (!(error instanceof Error)) throw error
  const {name, message, cause} = error
  return {...error, name, message, kind: error.constructor, cause: cause instanceof Error ? cause.message : cause}
}

const first = {sql: "UPDATE notes SET text = 'first' WHERE id = 1", args: []}

const byClient = async (client: LocalClient, sql: string): Promise<void> => {
  const transaction = await client.transaction("write")
  try {
    await transaction.batch([first, sql])
    await transaction.commit()
  } finally {
    transaction.close()
  }
}

const byConnection = async (client: LocalClient, sql: string): Promise<void> => {
  const transaction = await client.begin()
  try {
    transaction.run([first, {sql, args: []}])
  } catch (error) {
    transaction.close()
    throw error
  }
  transaction.commit()
}

const large = "INSERT INTO notes (text) VALUES (printf('%.100000c', 'x'))"

test.for([
  ["INSERT INTO notes (text) VALUES (NULL)", "SQLITE_CONSTRAINT"],
  ["INSERT INTO notes (text) VALUES ('first')", "SQLITE_CONSTRAINT"],
  ["INSERT INTO notes (id, text) VALUES (1, 'two')", "SQLITE_CONSTRAINT"],
  ["INSERT INTO notes (text) VALUES ('')", "SQLITE_CONSTRAINT"],
  ["INSERT INTO notes (id, text) VALUES ('no number', 'two')", "SQLITE_MISMATCH"],
  ["INSERT INTO notes (text) VALUES (zeroblob(2000000000))", "SQLITE_TOOBIG"],
  ["INSERT INTO missing (text) VALUES ('two')", "SQLITE_ERROR"],
  ["INSERT INTO", "SQLITE_ERROR"],
  [large, "SQLITE_FULL"],
] as const)("for %s the connection throws the same error as the client: %s", async ([sql, code]) => {
  const {client} = await makeClients()
  // The file may not grow.
  if (sql === large) await client.execute("PRAGMA max_page_count=8")
  const error = await factsOf(byConnection(client, sql))
  expect(error).toMatchObject({name: "LibsqlBatchError", code, statementIndex: 1})
  expect(error).toEqual(await factsOf(byClient(client, sql)))
  expect((await client.execute("SELECT text FROM notes")).rows).toMatchObject([{text: "one"}])
})

test("the connection throws the client's error for a read-only file", async () => {
  const {client} = await makeClients()
  await client.execute("PRAGMA query_only=ON")
  const error = await factsOf(byConnection(client, "SELECT 1"))
  expect(error).toMatchObject({code: "SQLITE_READONLY"})
  expect(error).toEqual(await factsOf(byClient(client, "SELECT 1")))
})

test("the connection throws the client's error for a locked file, and starts once it is free", async () => {
  const {client, stranger} = await makeClients()
  const held = await stranger.begin()
  held.run([first])
  const error = await factsOf(client.begin())
  expect(error).toMatchObject({code: "SQLITE_BUSY"})
  expect(error).toEqual(await factsOf(client.transaction("write")))
  held.commit()
  // This driver leaves a statement open after it met a lock.
  await client.reconnect()
  await byConnection(client, "UPDATE notes SET text = text || ' and more'")
  expect((await client.execute("SELECT text FROM notes")).rows).toMatchObject([{text: "first and more"}])
})

test("a transaction waits while a read uses the connection", async () => {
  const {client} = await makeClients()
  const read = client.execute("SELECT count(*) AS n FROM notes")
  const transaction = await client.begin()
  transaction.run([first])
  transaction.close()
  expect((await read).rows).toMatchObject([{n: 1}])
  expect((await client.execute("SELECT text FROM notes")).rows).toMatchObject([{text: "one"}])
})
