import {describe, expect, test} from "vitest"
import type {Dispatch, InboxEvent} from "../../../server/inbox/intake/handling.ts"
import {engines, open, until} from "../../support/database/databases.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {hearing, startInbox} from "../../support/messages/line-inbox.ts"

const secret = "a-secret-of-the-project"

describe.each(engines)("the platform's own event, on $name,", ({make}) => {
  const start = async (dispatch: Partial<Dispatch> = {}) => {
    const database = await open(await make())
    const seen: InboxEvent[] = []
    const scrub = (json: string) => json.replaceAll(secret, "[secret]")
    const wanting: Partial<Dispatch> = {match: () => ["a", "b"], keepsRaw: handlers => handlers.includes("a")}
    const run = hearing(stored => seen.push(stored))
    const {inbox, ...line} = await startInbox(database, {...wanting, run, ...dispatch}, {scrub})
    const receive = (data: unknown) => line.receive(incoming("one", {raw: {type: "update", data}}))
    const rawOf = async () => (await database.read("SELECT raw FROM inbox"))[0]?.raw
    const states = async () => (await database.read("SELECT state FROM inbox_marks ORDER BY 1")).map(row => row.state)
    return {inbox, seen, receive, rawOf, states}
  }

  test("is stored until its last handler has handled it", async () => {
    const go = Promise.withResolvers<void>()
    const {receive, rawOf, states} = await start({
      run: hearing(async (_, handler) => void (handler === "b" && (await go.promise))),
    })
    await receive({n: 1})
    await until("the first handler to end", async () => (await states()).includes("handled"))
    expect(await rawOf()).toBe('{"type":"update","data":{"n":1}}')
    go.resolve()
    await until("both to end", async () => !(await states()).includes("running"))
    expect(await rawOf()).toBeNull()
  })

  test("stays for a retry, and goes when the handler is discarded", async () => {
    const {inbox, receive, rawOf, states} = await start({run: async () => ({is: "failed", error: "no"})})
    await receive({n: 1})
    await until("both to fail", async () => (await states()).join() === "failed,failed")
    expect(await rawOf()).not.toBeNull()
    await inbox.act("discard", {seq: 1})
    expect(await rawOf()).toBeNull()
  })

  test("is stored only if a handler gets it", async () => {
    const {seen, receive, rawOf} = await start({match: () => ["b"]})
    await receive({n: 1n})
    await until("the handler", () => seen.length === 1)
    expect([seen[0]?.raw, await rawOf()]).toEqual([undefined, null])
  })

  test("reaches handlers without secrets and phone numbers, and at most 64 KiB of it", async () => {
    const {seen, receive} = await start()
    await receive({
      from: {phone_number: "+49 30 123", name: "Ada"},
      token: "x",
      text: `say ${secret}`,
      long: "ä".repeat(70_000),
    })
    await until("both handlers", () => seen.length === 2)
    const {data, isCut} = seen[0]?.raw ?? {}
    expect(isCut).toBe(true)
    expect(data).toMatchObject({from: {phone_number: "[masked]", name: "Ada"}, token: "[masked]", text: "say [secret]"})
    expect((data as {long: string}).long.length).toBeLessThan(2000)
  })

  test("is left out if cutting its texts does not suffice", async () => {
    const {seen, receive} = await start()
    await receive(Array.from({length: 20_000}, (_, n) => n))
    await until("both handlers", () => seen.length === 2)
    expect(seen[0]?.raw).toEqual({type: "update", isCut: true})
  })
})
