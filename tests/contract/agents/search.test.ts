import {readFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, onTestFinished, test} from "vitest"
import type {RunFacts} from "../../../server/agents/runs/tool.ts"
import {MessageIndex} from "../../../server/agents/search/message-index.ts"
import {searchTool} from "../../../server/agents/tools/search.ts"
import type {Database, Location} from "../../../server/database/database.ts"
import {sweepPart} from "../../../server/database/retention/retention.ts"
import {copyRemote} from "../../../server/database/upkeep/copy-remote.ts"
import {inboxPart} from "../../../server/inbox/upkeep/retention.ts"
import {inboxPart as ofUser} from "../../../server/inbox/user/parts.ts"
import {redactInbox} from "../../../server/inbox/user/redact.ts"
import {say} from "../../support/agents/messages.ts"
import {callTool, runOf} from "../../support/agents/tool-use.ts"
import {engines, localDatabase, log, makeFolder, open, remoteDatabase} from "../../support/database/databases.ts"
import {until} from "../../support/host/process.ts"

const openIndex = async (location: Location | Database) => {
  const database = "dialect" in location ? await open(location) : location
  const index = new MessageIndex({database, log, pause: 5})
  onTestFinished(() => index.stop())
  const tool = searchTool({database, index})
  const upTo = (seq: number) => until("the messages to be indexed", () => index.indexed >= seq)
  const search = async (query: string, own: Partial<RunFacts> = {}, limit?: number) => {
    const {value} = await callTool(tool, limit === undefined ? {query} : {query, limit}, {run: runOf(own)})
    return value
  }
  const texts = async (query: string, own: Partial<RunFacts> = {}, limit?: number) => {
    const value = await search(query, own, limit)
    return typeof value === "string" ? [] : (value as {messages: {text: string}[]}).messages.map(({text}) => text)
  }
  return {database, index, tool, upTo, search, texts}
}

describe.each(engines)("a search in $name", ({make}) => {
  test("finds messages of the channel from before and after the index began, newest first", async () => {
    const {database, index, upTo, texts, search} = await openIndex(await make())
    await say(database, "the printer is out of ink", "<b>new</b> printers &amp; ink", "lunch?")
    index.start()
    await upTo(3)
    expect(await texts("printer ink")).toEqual(["new printers & ink", "the printer is out of ink"])
    await upTo(await say(database, "Printer works, INK is in"))
    expect(await search("ink printer", {}, 1)).toEqual({
      messages: [{from: "ada by name", at: "2026-05-01T09:00:00.000Z", text: "Printer works, INK is in"}],
    })
    expect(await search("elephant")).toBe("Nothing was found.")
  })

  test("forgets messages that were redacted or deleted, and does not index them again", async () => {
    const {database, index, upTo, texts} = await openIndex(await make())
    await say(database, "first secret", "second secret", "third secret")
    index.start()
    await upTo(3)
    await redactInbox(database, 2, null, [])
    expect(await texts("secret")).toEqual(["third secret", "first secret"])
    const limits = {age: 0, rows: undefined, undelivered: undefined, spareAfter: 2}
    await sweepPart(database, inboxPart, limits, {now: Date.now()})
    await index.stop()
    index.start()
    await upTo(await say(database, "another secret"))
    expect(await texts("secret")).toEqual(["another secret", "third secret"])
    expect(
      await database.read("SELECT rowid FROM message_index WHERE message_index MATCH 'second OR redacted'"),
    ).toEqual([])
  })
})

test("a search never finds other channels, other endpoints, bots, or events without a message", async () => {
  const {database, index, upTo, texts} = await openIndex(await localDatabase())
  index.start()
  const seq = await say(
    database,
    {text: "plan of the board", channel: "#board"},
    {text: "plan elsewhere", endpoint: "other"},
    {text: "plan of a bot", isBot: true},
    {text: "plan that was edited", event: "message-updated"},
    {text: "plan of the team"},
  )
  await upTo(seq)
  expect(await texts("plan")).toEqual(["plan of the team"])
  expect(await texts("plan", {channel: "#board"})).toEqual(["plan of the board"])
  const {search} = await openIndex(database)
  await expect(search("plan", {endpoint: undefined, channel: undefined})).rejects.toThrow(/\bno channel\b/)
})

test("a search in a direct conversation finds only messages of the same user and account", async () => {
  const {database, index, upTo, texts} = await openIndex(await localDatabase())
  index.start()
  const direct = {channel: "ada", type: 1} as const
  await upTo(
    await say(
      database,
      {text: "my password plan", account: "ada", ...direct},
      {text: "plan without an account", ...direct},
    ),
  )
  const as = (account?: string, id = "ada") => ({
    channel: "ada",
    place: {channel: {id: "ada", type: 1}, user: {id, ...(account === undefined ? {} : {account})}},
  })
  expect(await texts("plan", as("ada"))).toEqual(["my password plan"])
  expect(await texts("plan", as("mallory"))).toEqual([])
  expect(await texts("plan", as(undefined, "bob"))).toEqual([])
  expect(await texts("plan", as())).toEqual(["plan without an account"])
  // A run of a work item or of a plugin does not know that its channel is direct.
  const unaware = {channel: "ada", place: {channel: {id: "ada", type: 0}}}
  expect(await texts("plan", unaware)).toEqual([])
  expect(await texts("plan", {...as("ada"), place: {...as("ada").place, ...unaware.place}})).toEqual([
    "my password plan",
  ])
})

test("a search treats the query as words only", async () => {
  const {database, index, upTo, texts, search} = await openIndex(await localDatabase())
  index.start()
  await upTo(
    await say(
      database,
      {text: "near the board", channel: "#board"},
      "Grüße aus Köln",
      "我们的数据库在哪里",
      "say hello to Bob's cat",
      "an apple",
      "x".repeat(600),
    ),
  )
  for (const query of [
    '" OR 1',
    'near" OR place:"',
    "near*",
    "place : near",
    "NEAR(near board)",
    "^near",
    "-near",
    "{place} : near",
  ])
    expect(await texts(query), query).toEqual([])
  expect(await texts("grusse")).toEqual([])
  expect(await texts("GRÜSSE koln")).toEqual(["Grüße aus Köln"])
  expect(await texts("数据库")).toEqual(["我们的数据库在哪里"])
  expect(await texts("bob's")).toEqual(["say hello to Bob's cat"])
  expect(await texts("hel ca")).toEqual(["say hello to Bob's cat"])
  expect(await texts("app")).toEqual(["an apple"])
  expect(await texts("ap")).toEqual([])
  expect(await texts("hello elephant")).toEqual(["say hello to Bob's cat"])
  expect(await texts("xxx")).toEqual([`${"x".repeat(500)}…`])
  await expect(search("?! …")).rejects.toThrow(/\bno word\b/)
})

test("a message that is redacted between reading and indexing is not indexed", async () => {
  const database = await open(await localDatabase())
  await say(database, "a secret", "a plan")
  let reads = 0
  const slow: Database = {
    ...database,
    location: database.location,
    state: database.state,
    read: async (sql, args) => {
      const rows = await database.read(sql, args)
      if (sql.includes("isSaid") && reads++ === 0) await redactInbox(database, 1, null, [])
      return rows
    },
    write: (batch, changes) => database.write(batch, changes),
    migrate: (...asked) => database.migrate(...asked),
    observe: observer => database.observe(observer),
  }
  const {index, upTo} = await openIndex(slow)
  index.start()
  await upTo(2)
  expect(await database.read("SELECT rowid FROM message_index")).toEqual([{rowid: 2}])
})

test("the index forgets a user's messages together with the user", async () => {
  const {database, index, upTo, texts} = await openIndex(await localDatabase())
  index.start()
  await upTo(await say(database, "plan of ada", {text: "plan of bob", user: "bob"}))
  await database.write(ofUser.forgetting(await database.read(ofUser.find, [0, 10, "line", "ada", "[]"])))
  expect(await texts("plan")).toEqual(["plan of bob"])
})

test("a redacted message leaves no word in the file or its log", async () => {
  const location = await localDatabase()
  const {database, index, upTo, texts} = await openIndex(location)
  const file = location.dialect === "sqlite" ? location.file : ""
  index.start()
  await say(database, "hunterzqx9 is what I say", "another word")
  for (let round = 1; round <= 30; round++) await upTo(await say(database, `hunter ${round}`, `horse ${round}`))
  // For each word, the index stores only the part that differs from the word before it.
  const occurs = () => ["", "-wal"].map(end => readFileSync(`${file}${end}`).includes("zqx9"))
  expect(occurs()).toContain(true)
  expect(await redactInbox(database, 1, null, [])).toEqual({erased: "file"})
  expect(occurs()).toEqual([false, false])
  expect(await texts("another")).toEqual(["another word"])
  await database.write([{sql: "INSERT INTO message_index (message_index) VALUES ('integrity-check')"}])
})

test("an index resumes at its last position, over thousands of messages", async () => {
  const {database, index, upTo, texts} = await openIndex(await localDatabase())
  await say(database, ...Array.from({length: 950}, (_, n) => `message ${n}`))
  index.start()
  await upTo(100)
  await index.stop()
  const stopped = index.indexed
  expect(stopped % 100 === 0 || stopped === 950).toBe(true)
  const again = await openIndex(database)
  again.index.start()
  again.index.start()
  await again.upTo(950)
  expect(await database.read("SELECT count(*) AS n, max(rowid) AS last FROM message_index")).toEqual([
    {n: 950, last: 950},
  ])
  expect(await texts("message", {}, 20)).toHaveLength(20)
})

test("a database without such an index still starts, and the tool says why it is unavailable", async () => {
  const {database, index, tool, search} = await openIndex(await localDatabase())
  // Simulates a database whose SQLite has no FTS5.
  await database.write([{sql: "CREATE VIEW message_index AS SELECT 1"}])
  await say(database, "hello")
  index.start()
  await until("the index to give up", () => index.problem !== undefined)
  expect(tool.problem?.({name: "helper"} as never)).toMatch(/: .*message_index/)
  expect(await search("hello")).toBe("Nothing was found.")
  await database.write([{sql: "DELETE FROM inbox"}])
})

test("a copy of a remote database leaves the index out, and a Host rebuilds it", async () => {
  const {location, server} = await remoteDatabase()
  const {database, index, upTo} = await openIndex(location)
  await say(database, "hello")
  index.start()
  await upTo(1)
  const file = join(makeFolder(), "copy.sqlite")
  await copyRemote({url: server.url}, file)
  const copy = await openIndex({dialect: "sqlite", file})
  copy.index.start()
  await copy.upTo(1)
  expect(await copy.texts("hello")).toEqual(["hello"])
})
