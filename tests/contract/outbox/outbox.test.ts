import {describe, expect, test} from "vitest"
import {noPolicy} from "../../../server/endpoints/policy.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {refused} from "../../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../../shared/sdk/adapter/sender.ts"
import {engines, localDatabase, log, open, until} from "../../support/database/databases.ts"

test("an endpoint that reconnects between two messages of one batch sends them in order", async () => {
  const outbox = new Outbox(await open(await localDatabase()), log)
  const sent: string[] = []
  let isOnline = false
  const sender = {
    send: async ({id}: {id: string}) => {
      sent.push(id)
      return {ids: [id]}
    },
  }
  await outbox.start({sender: () => (isOnline ? sender : undefined), policy: () => noPolicy})
  const enqueue = (id: string) =>
    outbox.enqueue({id, kind: "message", endpoint: "line", channel: "team", content: [id]})
  const before = enqueue("before")
  isOnline = true
  await Promise.all([before, enqueue("after")])
  await until("both to be sent", () => sent.length === 2)
  expect(sent).toEqual(["before", "after"])
  await outbox.drain()
})

describe.each(engines)("the result of an adapter's send, on $name,", ({make}) => {
  const timing = {retry: {first: 1, longest: 1}, limit: 1000, mostAttempts: 2}
  const sendBy = async (send: Sender["send"]) => {
    const database = await open(await make())
    const outbox = new Outbox(database, log, {timing})
    let attempts = 0
    const counting: Sender["send"] = (message, signal) => {
      attempts++
      return send(message, signal)
    }
    await outbox.start({sender: () => ({send: counting}), policy: () => noPolicy})
    await outbox.enqueue({id: "a", kind: "message", endpoint: "line", channel: "team", content: ["hi"]})
    const read = async () => (await database.read("SELECT state, error, reason, platform_ids FROM outbox"))[0]
    await until("the message to end", async () => !["queued", "sending"].includes(String((await read())?.state)))
    await outbox.drain()
    return {row: await read(), attempts}
  }

  test("may be cut inside a character, and is still stored as text", async () => {
    const cut = "nice \ud83d"
    const dead = await sendBy(async () => {
      throw new Error(cut)
    })
    expect(dead.row).toMatchObject({state: "dead", error: "nice \ufffd"})
    const failed = await sendBy(async () => {
      throw refused("no", {reason: cut, remediation: "Say it otherwise."})
    })
    expect(failed.row).toMatchObject({state: "failed", reason: "nice \ufffd"})
  })

  test.each([undefined, null, {}, {ids: null}])("may be %j: the message is sent, and not repeated", async answer => {
    const {row, attempts} = await sendBy(async () => answer as never)
    expect({...row, attempts}).toMatchObject({state: "sent", platform_ids: "[]", attempts: 1})
  })

  test("may be an error without any text", async () => {
    const {row, attempts} = await sendBy(async () => {
      throw Object.create(null)
    })
    expect({...row, attempts}).toMatchObject({state: "dead", error: expect.stringMatching(/\bno text$/), attempts: 2})
  })

  test("may be a whole page: its beginning is kept", async () => {
    const {row} = await sendBy(async () => {
      throw new Error("x".repeat(1_000_000))
    })
    expect(String(row?.error)).toHaveLength(10_001)
  })
})
