import {v7 as uuid} from "uuid"
import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {migrations} from "../../../server/database/migrations/migrations.ts"
import type {Dispatch} from "../../../server/inbox/intake/handling.ts"
import {engines, localDatabase, open, until} from "../../support/database/databases.ts"
import {inboxRow, insert, outboxRow} from "../../support/database/insert.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

const asker = "root/bot/handler/message-created.0"
const continuation = "root/bot/prompt/name"

interface Options {
  readonly fails?: () => boolean
  /** Milliseconds. */
  readonly expires?: number
}

/** An inbox where "ask" asks a question of its user. `fails` makes the continuation throw. */
const start = async (database: Database, {fails, expires = 60_000}: Options = {}) => {
  const answers: string[] = []
  const dispatch: Partial<Dispatch> = {
    match: ({message}, asked = asker) => [message?.content.startsWith("ask") === true ? asker : asked],
    run: async ({event, endpoint}, handler, attempt) => {
      const text = event.message?.content ?? ""
      if (handler === continuation) {
        const question = await attempt.question()
        if (fails?.() === true) return {is: "failed", error: "as it happens"}
        answers.push(`${question?.data} ${text}`)
        return {is: "handled", sends: []}
      }
      if (!text.startsWith("ask")) return {is: "handled", sends: []}
      // As a timer asks, which knows the user alone.
      const channel = text === "ask ann" ? "user:ann" : (event.channel?.id ?? "")
      const who = {endpoint, channel, user: "id ann"}
      const question = {id: uuid(), handler: continuation, ...who, data: `"${text}"`, expiresAt: Date.now() + expires}
      return {is: "handled", sends: [], questions: [question]}
    },
  }
  const {inbox, receive, idle: settled} = await startInbox(database, dispatch)
  const say = (id: string, text = id, channel = "c", user = "ann") =>
    receive(
      incoming(id, {
        channel: {id: channel, type: channel.startsWith("@") ? 1 : 0},
        user: {id: user},
        message: {id, content: text},
      }),
    )
  /** Sends a message. Resolves when the next message in its conversation is handled. */
  const tell = async (id: string, text = id, channel = "c", user = "ann") => {
    const receipt = await say(id, text, channel, user)
    await say(uuid(), "tick", channel, "tick")
    await settled()
    return receipt
  }
  const left = async () => (await database.read("SELECT data FROM prompts")).map(({data}) => JSON.parse(String(data)))
  return {inbox, say, tell, settled, answers, left}
}

describe.each(engines)("a question on $name", ({make}) => {
  test("to a user is answered in any direct channel of this user, the newest question first", async () => {
    const {tell, answers, left} = await start(await open(await make()))
    await tell("ask ann", "ask ann", "ops", "bob")
    await tell("in a group")
    await tell("not ann", "not ann", "@bob", "bob")
    expect([answers, await left()]).toEqual([[], ["ask ann"]])
    await tell("ask there", "ask there", "@ann")
    await tell("second", "second", "@ann")
    await tell("first", "first", "@ann")
    await tell("none", "none", "@ann")
    expect([answers, await left()]).toEqual([['"ask there" second', '"ask ann" first'], []])
  })

  test("is answered by one of two simultaneous messages, and by no redelivery", async () => {
    const {say, tell, answers, left} = await start(await open(await make()))
    await tell("ask")
    await Promise.all([say("one"), say("two"), say("one")])
    await tell("one")
    expect(answers).toEqual(['"ask" one'])
    expect(await left()).toEqual([])
  })

  test("is not answered by an old message that the platform redelivers", async () => {
    const {tell, answers, left} = await start(await open(await make()))
    await tell("old")
    await tell("ask")
    expect(await tell("old")).toMatchObject({duplicate: true})
    expect([answers, await left()]).toEqual([[], ["ask"]])
    await tell("new")
    expect([answers, await left()]).toEqual([['"ask" new'], []])
  })

  test("is answered in its channel by its user, also after a restart; a newer one replaces it", async () => {
    const database = await open(await make())
    const first = await start(database)
    await first.tell("ask 1")
    await first.tell("ask 2", "ask 2", "elsewhere")
    await first.inbox.drain()
    const {tell, answers, left} = await start(database)
    await tell("not hers", "no", "c", "bob")
    expect([answers, (await left()).sort()]).toEqual([[], ["ask 1", "ask 2"]])
    await tell("hers")
    expect([answers, await left()]).toEqual([['"ask 1" hers'], ["ask 2"]])
    await tell("ask 3", "ask 3", "elsewhere")
    expect(await left()).toEqual(["ask 3"])
  })

  test("with a failed continuation keeps its answer for a retry, and no other message", async () => {
    let fails = true
    const {inbox, tell, settled, answers, left} = await start(await open(await make()), {fails: () => fails})
    await tell("ask")
    const {sn} = await tell("Ann")
    await tell("other")
    expect([answers, await left()]).toEqual([[], ["ask"]])
    fails = false
    await inbox.act("retry", {seq: sn})
    await settled()
    expect([answers, await left()]).toEqual([['"ask" Ann'], []])
  })

  test("is deleted with an answer that an operator discards, or when it expires", async () => {
    const database = await open(await make())
    const {inbox, tell, left} = await start(database, {fails: () => true})
    await tell("ask")
    const {sn} = await tell("Ann")
    expect(await inbox.act("discard", {seq: sn})).toEqual({events: 1, handlers: 1, due: []})
    expect(await left()).toEqual([])
    const short = await start(database, {expires: 1})
    await short.tell("ask later")
    await until("it to expire", () => new Promise<true>(resolve => setTimeout(() => resolve(true), 5)))
    const late = await short.tell("too late")
    expect(short.answers).toEqual([])
    expect(await database.read("SELECT handler, state FROM inbox_marks WHERE seq = ?", [late.sn])).toEqual([
      {handler: asker, state: "handled"},
    ])
    expect(await (await start(database)).left()).toEqual([])
  })
})

test("rows of a version without retries and questions are migrated", async () => {
  const location = await localDatabase()
  const before = await open(location, {known: migrations.filter(({name}) => name !== "delivery").slice(0, 5)})
  await before.write([
    inboxRow({event: JSON.stringify({type: "message-created", message: {id: "one", content: "one"}})}),
    insert("inbox_marks", {seq: 1, handler: "a", state: "running", attempt: 1}),
    insert("inbox_marks", {seq: 1, handler: "b", state: "failed", attempt: 1}),
    ...["x", "y"].map(id => outboxRow(id, {inbox_seq: 1, handler: "a", ordinal: 0})),
  ])
  await before.close()
  const database = await open(location)
  const {settled} = await start(database)
  await settled()
  expect(await database.read("SELECT handler, state, attempt, failures FROM inbox_marks ORDER BY handler")).toEqual([
    {handler: "a", state: "handled", attempt: 2, failures: 0},
    {handler: "b", state: "failed", attempt: 1, failures: 0},
  ])
})
