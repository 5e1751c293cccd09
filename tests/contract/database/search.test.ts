import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {containingAt, type SearchRequest, searchRows} from "../../../server/database/lists/search.ts"
import {redactInbox} from "../../../server/inbox/user/redact.ts"
import {say} from "../../support/agents/messages.ts"
import {engines, localDatabase, open} from "../../support/database/databases.ts"

const inbox = {table: "inbox", time: "received_at"} as const
const text = (sought: string) => [containingAt("event", "$.message.content", sought)]

/** All matches of a search, page by page, and how far each page has searched. */
const searchAll = async (database: Database, request: Omit<SearchRequest, "before">) => {
  const found: number[] = []
  const lookedTo: string[] = []
  let before: number | undefined = Number.MAX_SAFE_INTEGER
  while (before !== undefined) {
    const page = await searchRows(database, inbox, {...request, before})
    expect(page.rows.length).toBeLessThanOrEqual(request.limit)
    if (page.next !== undefined) expect(page.next).toBeLessThan(before)
    found.push(...page.rows.map(({seq}) => Number(seq)))
    if (page.lookedTo !== null) lookedTo.push(page.lookedTo)
    before = page.next
  }
  return {found, lookedTo}
}

const many = 12_000
/** One message in 4,001 has a different text. */
const isRare = (n: number) => n % 4001 === 0

const sayMany = (database: Database) =>
  say(database, ...Array.from({length: many}, (_, n) => (isRare(n + 1) ? "the rare one" : "one of many")))

describe.each(engines)("a search of messages in $name", ({make}) => {
  test("finds a rare text in all messages, newest first, over many pages, and reports its progress", async () => {
    const database = await open(await make())
    await sayMany(database)
    const {found, lookedTo} = await searchAll(database, {conditions: text("RARE"), limit: 2})
    expect(found).toEqual([8002, 4001])
    expect(lookedTo).toEqual(lookedTo.toSorted().reverse())
    expect((await searchAll(database, {conditions: text("nobody says it"), limit: 2})).found).toEqual([])
    const all = await searchAll(database, {conditions: text("one"), limit: 4000})
    expect(all.found).toEqual(Array.from({length: many}, (_, n) => many - n))
  })

  test("keeps to a time range and to given numbers", async () => {
    const database = await open(await make())
    await sayMany(database)
    const [row] = await database.read("SELECT received_at AS at FROM inbox WHERE seq = 8002")
    const at = Number(row?.at)
    const found = async (request: Partial<SearchRequest>) =>
      (await searchAll(database, {conditions: text("rare"), limit: 50, ...request})).found
    expect(await found({from: at})).toEqual([8002])
    expect(await found({to: at})).toEqual([4001])
    expect(await found({from: at, to: at})).toEqual([])
    const numbers = {sql: "SELECT seq FROM inbox WHERE seq % ?3 = 0 AND seq < ?1 ORDER BY seq DESC LIMIT ?2", args: [2]}
    expect(await found({numbers})).toEqual([8002])
    expect((await searchAll(database, {conditions: [], numbers, limit: 3000})).found).toHaveLength(many / 2)
  })
})

test("a search is verbatim: quotes, pattern characters, scripts without spaces, parts of words", async () => {
  const database = await open(await localDatabase())
  await say(database, 'she said "50%_off" \\o/', "我们的数据库在哪里", "the sprinter", "Größe\nund mehr")
  const found = async (sought: string) => (await searchAll(database, {conditions: text(sought), limit: 9})).found
  expect(await found('"50%_OFF" \\O/')).toEqual([1])
  expect(await found("50%_")).toEqual([1])
  expect(await found("%off_")).toEqual([])
  expect(await found("数据")).toEqual([2])
  expect(await found("rint")).toEqual([3])
  expect(await found("größe\nund")).toEqual([4])
  expect(await found("GRÖSSE")).toEqual([])
  // These words are in the event, but not in the message text.
  for (const elsewhere of ["message-created", "ada", "#team", "content"]) expect(await found(elsewhere)).toEqual([])
  await redactInbox(database, 3, null, [])
  expect(await found("rint")).toEqual([])
})
