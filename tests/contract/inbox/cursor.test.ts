import {v7 as uuid} from "uuid"
import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {readCursor} from "../../../server/endpoints/cursors.ts"
import {oldestKnown} from "../../../server/inbox/upkeep/retention.ts"
import {adoptDatabase} from "../../../server/recovery/restore/adopt.ts"
import type {RetentionSettings} from "../../../shared/config/config.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import type {Plugin} from "../../../shared/sdk/plugin/plugin.ts"
import {engines, open, until} from "../../support/database/databases.ts"
import {incoming, stored} from "../../support/messages/line-endpoint.ts"
import {hearing, startInbox} from "../../support/messages/line-inbox.ts"

const dated = (id: string, more: Partial<Incoming> = {}) => incoming(id, {timestamp: 2000, ...more})

describe.each(engines)("events that a platform replays, on $name,", ({make}) => {
  const start = async (oldest = 0, kept?: Database) => {
    const database = kept ?? (await open(await make()))
    const handled: string[] = []
    const {inbox, endpoint} = await startInbox(
      database,
      {match: () => ["h"], run: hearing(({event}) => handled.push(event.message?.id ?? ""))},
      {oldest: () => oldest, spec: {name: "line~one", history: "replay"}},
    )
    const ids = async () => (await database.read("SELECT event_id FROM inbox ORDER BY seq")).map(row => row.event_id)
    return {database, inbox, endpoint, handled, ids, cursor: () => readCursor(database, "line~one")}
  }

  test("are stored with their cursor, and handled in order", async () => {
    const {inbox, endpoint, handled, cursor} = await start()
    expect(await cursor()).toBeUndefined()
    const receipts = await inbox.receiveAll(
      endpoint,
      ["a", "b", "c"].map(id => dated(id)),
      {cursor: "3"},
    )
    expect(receipts).toEqual([stored(1), stored(2), stored(3)])
    expect(await cursor()).toBe("3")
    await until("all to be handled", () => handled.length === 3)
    expect(handled).toEqual(["a", "b", "c"])
  })

  test("are stored once however often they arrive, and the cursor advances", async () => {
    const {inbox, endpoint, ids, cursor} = await start()
    await inbox.receiveAll(endpoint, [dated("a"), dated("b")], {cursor: "2"})
    const again = await inbox.receiveAll(endpoint, [dated("b"), dated("c"), dated("c")], {cursor: "3"})
    expect(again.map(({duplicate}) => duplicate)).toEqual([true, false, true])
    expect(await ids()).toEqual(["a", "b", "c"])
    await inbox.receiveAll(endpoint, [], {cursor: "4"})
    expect(await cursor()).toBe("4")
  })

  test("are held after a restore up to the newest one that was lost, even if their platform's clock is ahead", async () => {
    const [replaced, restored] = [await start(), await open(await make())]
    const ahead = Date.now() + 3_600_000
    await replaced.inbox.receiveAll(replaced.endpoint, [dated("a", {timestamp: ahead})])
    await replaced.inbox.drain()
    const adoption = {authority: uuid(), at: Date.now(), checkpoint: "one", from: uuid()}
    await adoptDatabase(restored, adoption, replaced.database)
    const {database, inbox, endpoint, handled} = await start(0, restored)
    await inbox.receiveAll(endpoint, [dated("a", {timestamp: ahead}), dated("b", {timestamp: ahead + 1})])
    await until("the later one to be handled", () => handled.length === 1)
    expect(handled).toEqual(["b"])
    expect(await database.read("SELECT state FROM inbox_marks ORDER BY seq")).toMatchObject([{state: "held"}, {}])
  })

  test.each([
    ["an invalid time", {timestamp: Number.NaN}, /timestamp/],
    ["a time that is text", {timestamp: "5"}, /timestamp/],
    ["a time that no Date has", {timestamp: 1e300}, /timestamp/],
    ["half a character in its id", {id: "k\ud800"}, /^id must be non-empty text/],
    ["half a character in its channel's id", {channel: {id: "c\ud800", type: 0}}, /^channel\.id/],
    ["no user", {user: null}, /^user must be an object/],
    ["a message without id", {message: {content: "x"}}, /^message\.id/],
    ["a channel of no type", {channel: {id: "c", type: "text"}}, /^channel\.type/],
    ["an invalid guild", {guild: 5}, /^guild must be an object/],
    ["a payload that is text", {raw: "x"}, /^raw must be an object/],
  ])("are refused with %s, together with their whole batch", async (_, more, why) => {
    const {inbox, endpoint, ids, cursor} = await start(1000)
    const wrong = dated("b", more as never)
    await expect(inbox.receiveAll(endpoint, [dated("a"), wrong], {cursor: "2"})).rejects.toMatchObject({
      code: "event_invalid",
      message: expect.stringMatching(why),
    })
    await expect(inbox.receiveAll(endpoint, [null as never], {cursor: "2"})).rejects.toMatchObject({
      code: "event_invalid",
    })
    expect([await ids(), await cursor()]).toEqual([[], undefined])
  })

  test("are not stored when one of them is invalid, and the cursor stays", async () => {
    const {inbox, endpoint, ids, cursor, handled} = await start()
    await inbox.receiveAll(endpoint, [dated("a")], {cursor: "1"})
    const wrong = dated("c", {message: {id: "c", content: 5 as never}})
    await expect(inbox.receiveAll(endpoint, [dated("b"), wrong], {cursor: "3"})).rejects.toMatchObject({
      code: "event_invalid",
    })
    expect(await cursor()).toBe("1")
    expect(await ids()).toEqual(["a"])
    await inbox.receiveAll(endpoint, [dated("b")], {cursor: "2"})
    await until("the conversation to continue", () => handled.includes("b"))
  })

  test("are dropped and counted when they are too old to be recognized as repeats", async () => {
    const {database, inbox, endpoint, ids, cursor} = await start(1000)
    const receipts = await inbox.receiveAll(
      endpoint,
      [dated("old", {timestamp: 999}), dated("new", {timestamp: 1000})],
      {cursor: "2"},
    )
    expect(receipts).toEqual([{sn: 0, duplicate: false, dropped: true}, stored(1)])
    expect(await ids()).toEqual(["new"])
    expect(await cursor()).toBe("2")
    await inbox.receiveAll(endpoint, [dated("older", {timestamp: 1})])
    expect(await database.read("SELECT cursor, dropped FROM endpoint_cursors")).toMatchObject([
      {cursor: "2", dropped: 2},
    ])
  })

  test("are refused without a timestamp, which restores and age limits need", async () => {
    const {inbox, endpoint, ids} = await start()
    const {timestamp: _, ...undated} = dated("a")
    await expect(inbox.receiveAll(endpoint, [undated], {cursor: "1"})).rejects.toMatchObject({code: "event_invalid"})
    expect(await ids()).toEqual([])
  })
})

test("an adapter of a platform that replays must date its events, enforced by type", () => {
  const adapter: Plugin["adapter"] = () => {}
  const event = {id: "a", type: "message-created"}
  adapter("dated", {
    history: "replay",
    open: async (_, endpoint) => {
      const dated = () => endpoint.receive([{...event, timestamp: 1}], {cursor: "1"})
      // @ts-expect-error: the timestamp is missing
      const undated = () => endpoint.receive(event)
      return {send: async () => ({ids: [String(dated.length + undated.length)]})}
    },
  })
  adapter("undated", {
    history: "none",
    open: async (_, endpoint) => {
      const undated = () => endpoint.receive(event)
      return {send: async () => ({ids: [String(undated.length)]})}
    },
  })
})

test("the oldest recognizable event has the age limits of inbox and dropped ids combined", () => {
  const day = 86_400_000
  const retention = (handled: string, duplicates: string) =>
    ({handled: {age: handled}, duplicates: {age: duplicates}}) as RetentionSettings
  expect(oldestKnown(retention("30d", "90d"), 200 * day)).toBe(80 * day)
  expect(oldestKnown(retention("0d", "90d"), 200 * day)).toBe(Number.NEGATIVE_INFINITY)
})
