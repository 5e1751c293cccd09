import {v7 as uuid} from "uuid"
import {describe, expect, test} from "vitest"
import {readCursor} from "../../../server/endpoints/cursors.ts"
import {Inbox} from "../../../server/inbox/inbox.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import type {Incoming} from "../../../shared/sdk/adapter.ts"
import {engines, open} from "../../support/database/databases.ts"
import {until} from "../../support/host/process.ts"
import {log} from "../../support/host/silence.ts"
import {lineEndpoint, stored} from "../../support/messages/line-endpoint.ts"

const incoming = (id: string, more: Partial<Incoming> = {}): Incoming => ({
  id,
  type: "message-created",
  timestamp: 2000,
  channel: {id: "c", type: 1},
  user: {id: "ann"},
  message: {id, content: `text of ${id}`},
  ...more,
})

describe.each(engines)("what a platform replays, on $name", ({make}) => {
  const start = async (oldest = 0) => {
    const database = await open(await make())
    const handled: string[] = []
    const inbox = new Inbox(database, new Outbox(database, log), uuid(), log, {oldest: () => oldest})
    const endpoint = lineEndpoint(inbox, {name: "line~one", history: "replay"})
    await inbox.start({
      match: () => ["h"],
      order: handlers => ({around: [], within: handlers}),
      run: async ({event}) => {
        handled.push(event.message?.id ?? "")
        return {is: "handled", sends: []}
      },
    })
    const ids = async () => (await database.read("SELECT event_id FROM inbox ORDER BY seq")).map(row => row.event_id)
    return {database, inbox, endpoint, handled, ids, cursor: () => readCursor(database, "line~one")}
  }

  test("is stored with its cursor, and handled in its order", async () => {
    const {inbox, endpoint, handled, cursor} = await start()
    expect(await cursor()).toBeUndefined()
    const receipts = await inbox.receiveAll(
      endpoint,
      ["a", "b", "c"].map(id => incoming(id)),
      {cursor: "3"},
    )
    expect(receipts).toEqual([stored(1), stored(2), stored(3)])
    expect(await cursor()).toBe("3")
    await until("all to be handled", () => handled.length === 3)
    expect(handled).toEqual(["a", "b", "c"])
  })

  test("is stored once, however often it comes, and the cursor goes on", async () => {
    const {inbox, endpoint, ids, cursor} = await start()
    await inbox.receiveAll(endpoint, [incoming("a"), incoming("b")], {cursor: "2"})
    const again = await inbox.receiveAll(endpoint, [incoming("b"), incoming("c"), incoming("c")], {cursor: "3"})
    expect(again.map(({duplicate}) => duplicate)).toEqual([true, false, true])
    expect(await ids()).toEqual(["a", "b", "c"])
    await inbox.receiveAll(endpoint, [], {cursor: "4"})
    expect(await cursor()).toBe("4")
  })

  test("is not stored at all where one event is not valid, and the cursor stays", async () => {
    const {inbox, endpoint, ids, cursor, handled} = await start()
    await inbox.receiveAll(endpoint, [incoming("a")], {cursor: "1"})
    const wrong = incoming("c", {message: {id: "c", content: 5 as never}})
    await expect(inbox.receiveAll(endpoint, [incoming("b"), wrong], {cursor: "3"})).rejects.toMatchObject({
      code: "event_invalid",
    })
    expect(await cursor()).toBe("1")
    expect(await ids()).toEqual(["a"])
    await inbox.receiveAll(endpoint, [incoming("b")], {cursor: "2"})
    await until("the conversation to go on", () => handled.includes("b"))
  })

  test("is dropped and counted where it is too old to be known if it came again", async () => {
    const {database, inbox, endpoint, ids, cursor} = await start(1000)
    const receipts = await inbox.receiveAll(
      endpoint,
      [incoming("old", {timestamp: 999}), incoming("new", {timestamp: 1000})],
      {cursor: "2"},
    )
    expect(receipts).toEqual([{sn: 0, duplicate: false, dropped: true}, stored(1)])
    expect(await ids()).toEqual(["new"])
    expect(await cursor()).toBe("2")
    await inbox.receiveAll(endpoint, [incoming("older", {timestamp: 1})])
    expect(await database.read("SELECT cursor, dropped FROM endpoint_cursors")).toMatchObject([
      {cursor: "2", dropped: 2},
    ])
  })
})
