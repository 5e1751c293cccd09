import {join} from "node:path"
import {createClient} from "@libsql/client/http"
import {describe, expect, onTestFinished, test} from "vitest"
import {isStatementError} from "../../../server/database/engine/errors.ts"
import {type HranaOptions, makeFolder, startHrana} from "../../support/database/databases.ts"

const connect = async (options: Partial<HranaOptions> = {}) => {
  const url = process.env.SVC_TEST_LIBSQL_URL
  const server = url === undefined ? await startHrana({file: join(makeFolder(), "data.sqlite"), ...options}) : {url}
  const client = createClient({url: server.url})
  onTestFinished(() => client.close())
  await client.batch(["DROP TABLE IF EXISTS notes", "CREATE TABLE notes (text TEXT)"], "write")
  return client
}

const sized = (bytes: number) => `SELECT printf('%.*c', ${bytes}, 'x') AS text`

describe("a libSQL server", () => {
  test.each([
    ["INSERT INTO nowhere VALUES (1)", "SQLITE_UNKNOWN"],
    ["SELECT json_extract('{', '$') AS value", "SQLITE_UNKNOWN"],
    ["SELECT nowhere FROM notes", "SQL_INPUT_ERROR"],
    ["SELECT FROM WHERE", "SQL_PARSE_ERROR"],
    ["PRAGMA journal_mode=DELETE", "SQL_PARSE_ERROR"],
    ["PRAGMA wal_checkpoint", "SQL_PARSE_ERROR"],
    ["VACUUM", "SQL_PARSE_ERROR"],
    ["ANALYZE", "SQL_PARSE_ERROR"],
    ["ATTACH 'other.sqlite' AS other", "SQL_PARSE_ERROR"],
    ["CREATE TEMP TABLE mine (id)", "SQL_PARSE_ERROR"],
    ["SELECT 1; SELECT 2", "SQL_MANY_STATEMENTS"],
    [sized(10_000_000), "RESPONSE_TOO_LARGE"],
  ])("refuses %j with %s, the statement's own error, and stores nothing of its batch", async (sql, code) => {
    const client = await connect()
    const error = await client.batch(["INSERT INTO notes VALUES ('a')", sql], "write").catch(thrown => thrown)
    expect(error).toMatchObject({code})
    expect(isStatementError(error)).toBe(true)
    expect((await client.execute("SELECT count(*) AS n FROM notes")).rows[0]?.n).toBe(0)
  })

  test.each(["PRAGMA integrity_check(10)", "PRAGMA foreign_key_check", "PRAGMA journal_mode", sized(9_900_000)])(
    "answers %j",
    async sql => expect((await (await connect()).execute(sql)).columns).toBeInstanceOf(Array),
  )
})

const onStandIn = test.skipIf(process.env.SVC_TEST_LIBSQL_URL !== undefined)

onStandIn("the stand-in refuses an expression without AS, because versions of SQLite name it differently", async () => {
  const client = await connect()
  await expect(client.execute("SELECT count(*) FROM notes")).rejects.toMatchObject({code: "NAMELESS"})
  expect((await client.execute("SELECT count(*) AS n, text FROM notes")).columns).toEqual(["n", "text"])
})

onStandIn("the stand-in ends an idle stream", async () => {
  const client = await connect({idle: 100})
  const transaction = await client.transaction("write")
  await transaction.execute("INSERT INTO notes VALUES ('late')")
  await client.batch(["SELECT 1"], "write")
  await expect(transaction.execute("SELECT 1")).rejects.toMatchObject({code: "STREAM_EXPIRED"})
  expect((await client.execute("SELECT 1 FROM notes")).rows).toEqual([])
})

onStandIn("the stand-in rolls a long write transaction back once another one waits", async () => {
  const client = await connect({longestWrite: 200})
  const transaction = await client.transaction("write")
  await transaction.execute("INSERT INTO notes VALUES ('long')")
  await client.batch(["INSERT INTO notes VALUES ('other')"], "write")
  await expect(transaction.commit()).rejects.toMatchObject({code: "TRANSACTION_TIMEOUT"})
  expect((await client.execute("SELECT text FROM notes")).rows).toMatchObject([{text: "other"}])
})
