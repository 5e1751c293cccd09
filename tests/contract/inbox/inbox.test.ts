import {setImmediate as turn} from "node:timers/promises"
import {v7 as uuid} from "uuid"
import {describe, expect, test} from "vitest"
import type {Dispatch} from "../../../server/inbox/intake/handling.ts"
import {engines, open, until} from "../../support/database/databases.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {hearing, startInbox} from "../../support/messages/line-inbox.ts"

describe.each(engines)("the inbox on $name", ({make}) => {
  const start = async (dispatch: Partial<Dispatch> = {}) => {
    const database = await open(await make())
    const matching = {match: () => ["root/test/handler/message-created.0"], ...dispatch}
    const line = await startInbox(database, matching, {spec: {name: "line~one", fingerprint: "1"}})
    const marks = () =>
      database.read("SELECT seq, handler, state, attempt, error FROM inbox_marks ORDER BY seq, handler")
    return {...line, database, marks}
  }
  const draft = (text: string) =>
    ({id: uuid(), kind: "message", endpoint: "line~one", channel: "c", content: [text]}) as const

  test("stores an event with its payload and one mark per handler before it answers", async () => {
    const run = () => new Promise<never>(() => {})
    const {database, receive, marks} = await start({match: () => ["b", "a"], run, keepsRaw: () => true})
    const raw = {type: "PRIVMSG", data: {line: ":ann PRIVMSG #c :hello"}}
    expect(await receive(incoming("one", {raw, timestamp: 1000}))).toEqual({sn: 1, duplicate: false, dropped: false})
    const [row] = await database.read("SELECT * FROM inbox")
    expect(row).toMatchObject({seq: 1, endpoint: "line~one", event_id: "one", conversation: "line~one/c"})
    expect(JSON.parse(String(row?.event))).toEqual({
      type: "message-created",
      timestamp: 1000,
      login: {platform: "line"},
      channel: {id: "c", type: 0},
      user: {id: "ann"},
      message: {id: "one", content: "one"},
      _type: "PRIVMSG",
    })
    expect(JSON.parse(String(row?.raw))).toEqual(raw)
    expect((await marks()).map(({handler}) => handler)).toEqual(["a", "b"])
  })

  test("stores and handles each platform id once, even with concurrent deliveries", async () => {
    const handled: number[] = []
    const {receive, marks} = await start({run: hearing(({event}) => handled.push(event.sn))})
    const ids = Array.from({length: 200}, (_, n) => `id ${n % 50}`)
    const receipts = await Promise.all(ids.map((id, n) => receive(incoming(id, {channel: {id: `c${n % 7}`, type: 1}}))))
    expect(receipts.filter(({duplicate}) => !duplicate)).toHaveLength(50)
    const sequences = new Map(ids.map((id, n) => [id, receipts[n]?.sn]))
    expect(receipts.map(({sn}) => sn)).toEqual(ids.map(id => sequences.get(id)))
    await until("all to be handled", async () => (await marks()).every(({state}) => state === "handled"))
    expect(handled.sort((a, b) => a - b)).toEqual([...sequences.values()].sort((a, b) => Number(a) - Number(b)))
  })

  test("stores a handler's sends together with its mark, in order", async () => {
    const sends = [draft("one"), draft("two")]
    const {database, receive, marks} = await start({run: async () => ({is: "handled", sends})})
    await receive(incoming("one"))
    await until("the handler to end", async () => (await marks())[0]?.state === "handled")
    expect(await database.read("SELECT id, state, inbox_seq, handler, ordinal FROM outbox ORDER BY seq")).toEqual(
      sends.map(({id}, ordinal) => ({
        id,
        state: "queued",
        inbox_seq: 1,
        handler: "root/test/handler/message-created.0",
        ordinal,
      })),
    )
  })

  test("handles a conversation's events in order, whenever they arrive", async () => {
    const began: string[] = []
    const {receive, marks} = await start({run: hearing(({event}) => began.push(String(event.message?.id)))})
    const turns = async (count: number) => {
      for (let n = 0; n < count; n++) await turn()
    }
    const said: string[] = []
    const coming: Promise<unknown>[] = []
    for (const first of [0, 1, 2, 3, 4, 5, 6]) {
      for (const second of [1, 2, 3, 4, 5]) {
        for (const pause of [0, first, second]) {
          await turns(pause)
          const id = `${first} ${second} ${said.length}`
          said.push(id)
          coming.push(receive(incoming(id)))
        }
        await Promise.all(coming)
        await until("all to be handled", async () => (await marks()).every(({state}) => state === "handled"))
      }
    }
    expect(began).toEqual(said)
  })

  test("refuses the late commit of an old attempt: neither its mark nor its sends", async () => {
    let finish: (() => void) | undefined
    const {database, inbox, receive, marks} = await start({
      run: () => new Promise(resolve => (finish = () => resolve({is: "handled", sends: [draft("too late")]}))),
    })
    await receive(incoming("one"))
    await until("the handler to run", async () => finish !== undefined && (await marks())[0]?.state === "running")
    await database.write([{sql: "UPDATE inbox_marks SET attempt = attempt + 1"}])
    finish?.()
    await inbox.drain()
    expect(await marks()).toMatchObject([{state: "running", attempt: 2, error: null}])
    expect(await database.read("SELECT * FROM outbox")).toEqual([])
  })

  test("assigns an event without a channel to the conversation of its user", async () => {
    const {database, receive} = await start()
    const {channel: _, ...direct} = incoming("one")
    await receive(direct)
    const {user: __, ...nobody} = direct
    await receive({...nobody, id: "two"})
    const rows = await database.read("SELECT conversation FROM inbox ORDER BY seq")
    expect(rows.map(({conversation}) => conversation)).toEqual(["line~one/ann", "line~one/"])
  })

  test.each<[string, object]>([
    ["id must be non-empty text", {id: ""}],
    ["id must be non-empty text", {id: 7}],
    ["type must be non-empty text", {type: undefined}],
    ["channel.id must be non-empty text", {channel: {id: "", type: 1}}],
    ["user.id must be non-empty text", {user: {}}],
    ["emoji.id must be non-empty text", {emoji: {name: "thumb"}}],
    ["message.content must be text", {message: {id: "m", content: ["a"]}}],
    ["form.values must be an object", {form: {}}],
    ["form.values.age must be text", {form: {values: {name: "Ann", age: 20}}}],
  ])("refuses an invalid event and stores nothing: %s (%j)", async (message, more) => {
    const {database, receive} = await start()
    await expect(receive(incoming("one", more))).rejects.toMatchObject({
      code: "event_invalid",
      message: expect.stringContaining(message),
    })
    expect(await database.read("SELECT * FROM inbox")).toEqual([])
  })

  test.each<[string, unknown]>([
    ["a number beyond JSON", 10n],
    ["a circle", (circle => Object.assign(circle, {circle}))({})],
    ["1,000 levels", JSON.parse("[".repeat(1000) + "]".repeat(1000))],
  ])("refuses a payload that is not JSON, and its conversation continues: %s", async (_, data) => {
    const {receive, marks} = await start()
    await expect(receive(incoming("one", {type: "internal", raw: {type: "PRIVMSG", data}}))).rejects.toMatchObject({
      code: "event_invalid",
      message: expect.stringMatching(/\bJSON\b/),
    })
    await receive(incoming("two"))
    await until("the next event to be handled", async () => (await marks())[0]?.state === "handled")
  })
})
