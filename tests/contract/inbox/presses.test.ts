import {v7 as uuid} from "uuid"
import {describe, expect, test} from "vitest"
import {makeButtonId} from "../../../server/database/buttons/button-id.ts"
import type {Database} from "../../../server/database/database.ts"
import type {Dispatch} from "../../../server/inbox/intake/handling.ts"
import {isActionId} from "../../../server/messages/forms/prompt.ts"
import {h} from "../../../shared/sdk/content/elements.ts"
import {engines, open} from "../../support/database/databases.ts"
import {outboxRow} from "../../support/database/insert.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

const asker = "root/bot/handler/message-created.0"
const vote = "root/bot/action/vote"

interface Options {
  readonly once?: boolean
  readonly asked?: boolean
  /** Milliseconds. */
  readonly expires?: number
  /** The action is missing from the running generation. */
  readonly isGone?: () => boolean
  /** The only user with the permission of the action; everybody has it when left out. */
  readonly admin?: string
}

/** An inbox where "ask" sends two buttons. `hasButtons`: the platform shows them. It notes presses and replies. */
const start = async (database: Database, hasButtons: boolean, options: Options = {}) => {
  const {once = false, asked = false, expires = 60_000, isGone = () => false, admin} = options
  const pressed: string[] = []
  const heard: string[] = []
  const dispatch: Partial<Dispatch> = {
    match: (event, given) => {
      const lacks = given === vote && admin !== undefined && event.user?.id !== admin
      const own = lacks ? "host/button/admin" : (given ?? (event.type === "message-created" ? asker : ""))
      return [own, "others"].filter(handler => handler !== "")
    },
    run: async ({endpoint, event}, handler, attempt) => {
      const text = event.message?.content ?? ""
      if (isActionId(handler)) {
        if (isGone()) return {is: "failed", error: "the running generation has no such handler"}
        pressed.push(`${event.user?.id} ${(await attempt.question())?.data}`)
      } else if (handler.startsWith("host/")) heard.push(`${event.user?.id} ${handler}`)
      else if (handler === asker && !text.startsWith("ask")) heard.push(`${event.user?.id} says ${text}`)
      if (handler !== asker || !text.startsWith("ask")) return {is: "handled", sends: []}
      const content = ["yes", "no"].map(data => {
        const made = {handler: vote, data: `"${data}"`, expires, once: once ? 1 : 0, asked: asked ? 1 : 0} as const
        return h("button", {id: makeButtonId(made)}, data)
      })
      const draft = {id: uuid(), kind: "message" as const, endpoint, channel: event.channel?.id ?? "", content}
      return {is: "handled", sends: [draft]}
    },
  }
  const spec = {features: hasButtons ? (["buttons"] as const) : []}
  const {inbox, receive, idle} = await startInbox(database, dispatch, {spec})
  const place = (user: string, channel = "c") => ({channel: {id: channel, type: 0}, user: {id: user}})
  const say = async (text: string, user = "ann", channel = "c") => {
    const id = uuid()
    const receipt = await receive(incoming(id, {...place(user, channel), message: {id, content: text}}))
    await idle()
    return receipt
  }
  const ask = async (user = "ann", channel = "c") => {
    await say("ask", user, channel)
    const [row] = await database.read("SELECT id FROM outbox ORDER BY seq DESC LIMIT 1")
    const id = String(row?.id)
    await database.write([
      {sql: "UPDATE outbox SET state = 'sent', platform_ids = ? WHERE id = ?", args: [JSON.stringify([`p${id}`]), id]},
    ])
    return id
  }
  const press = (button: string, user = "ann", id = uuid(), timestamp = Date.now()) =>
    receive({id, type: "interaction/button", timestamp, ...place(user), button: {id: button}})
  return {inbox, database, say, ask, press, idle, pressed, heard}
}

describe.each(engines)("a button on $name", ({make}) => {
  test("that works once is pressed by one of several users at once, and by no repeat", async () => {
    const {ask, press, idle, pressed, heard, database} = await start(await open(await make()), true, {once: true})
    const message = await ask()
    await Promise.all([press(`${message}:1`, "ann", "one"), press(`${message}:2`, "bob", "two")])
    await idle()
    await press(`${message}:1`, "ann", "one")
    await press(`${message}:1`, "cyd")
    await idle()
    expect(pressed).toHaveLength(1)
    expect(heard.sort()).toHaveLength(2)
    expect(new Set(heard.map(line => line.split(" ")[1]))).toEqual(new Set(["host/button/taken"]))
    expect(heard.at(-1)?.startsWith("cyd")).toBe(true)
    expect(await database.read("SELECT * FROM prompts")).toEqual([])
  })

  test("works any number of times, also after a restart, until it expires", async () => {
    const database = await open(await make())
    const first = await start(database, true)
    const message = await first.ask()
    await first.press(`${message}:2`)
    await first.idle()
    await first.inbox.drain()
    const {press, idle, pressed, heard} = await start(database, true)
    await press(`${message}:1`)
    await press(`${message}:1`, "bob")
    await idle()
    expect([first.pressed, pressed.sort(), heard]).toEqual([['ann "no"'], ['ann "yes"', 'bob "yes"'], []])
    await database.write([{sql: "UPDATE buttons SET expires_at = 1"}])
    await press(`${message}:1`, "cyd")
    await press(`${uuid()}:1`, "dan")
    await press(`${message}:9`, "eve")
    await idle()
    const gone = ["cyd", "dan", "eve"].map(user => `${user} host/button/gone`)
    expect([pressed.length, heard.sort()]).toEqual([2, gone])
  })

  test("for the asked user cannot be pressed by another user", async () => {
    const {ask, press, idle, pressed, heard} = await start(await open(await make()), true, {asked: true})
    const message = await ask("ann")
    await press(`${message}:1`, "bob")
    await press(`${message}:1`, "ann")
    await idle()
    expect([pressed, heard]).toEqual([['ann "yes"'], ["bob host/button/others"]])
  })

  test("that works once is left by a user without its permission", async () => {
    const {ask, press, idle, pressed, heard} = await start(await open(await make()), true, {once: true, admin: "ann"})
    const message = await ask("bob")
    await press(`${message}:1`, "bob")
    await press(`${message}:1`, "ann")
    await idle()
    expect([pressed, heard]).toEqual([['ann "yes"'], ["bob host/button/admin"]])
  })

  test("without its action fails by name, keeps its data, and works after a retry", async () => {
    let isGone = true
    const {inbox, ask, press, idle, pressed} = await start(await open(await make()), true, {
      once: true,
      isGone: () => isGone,
    })
    const message = await ask()
    const {sn} = await press(`${message}:2`)
    await idle()
    isGone = false
    await inbox.act("retry", {seq: sn, handler: vote})
    await idle()
    expect(pressed).toEqual(['ann "no"'])
  })

  test("pressed before a restore is held, and pressed by its release", async () => {
    const database = await open(await make())
    const first = await start(database, true, {once: true})
    const message = await first.ask()
    await first.inbox.drain()
    const restored = JSON.stringify({at: Date.now()})
    await database.write([{sql: "INSERT INTO svc_meta (key, value) VALUES ('restored', ?)", args: [restored]}])
    const {inbox, press, idle, pressed, heard} = await start(database, true, {once: true})
    await press(`${message}:1`, "ann", "held", 1)
    await press(`${message}:2`, "bob")
    await idle()
    expect([pressed, heard]).toEqual([[], ["bob host/button/taken"]])
    await inbox.act("release", "held")
    await idle()
    expect(pressed).toEqual(['ann "yes"'])
  })

  test("is deleted with its message, or with the message's content", async () => {
    const {ask, database} = await start(await open(await make()), true)
    const [one, two] = [await ask(), await ask()]
    const left = async () => (await database.read("SELECT DISTINCT message FROM buttons")).map(({message}) => message)
    expect((await left()).sort()).toEqual([one, two].sort())
    await database.write([{sql: "UPDATE outbox SET content = '[]' WHERE id = ?", args: [one]}])
    expect(await left()).toEqual([two])
    await database.write([{sql: "DELETE FROM outbox WHERE id = ?", args: [two]}])
    expect(await left()).toEqual([])
  })

  test("is deleted when its message is edited or deleted, also the button of an edit", async () => {
    const {ask, database} = await start(await open(await make()), true)
    const message = await ask()
    const acts = actsOn(database, message)
    const [one, other] = [anotherButton("1"), anotherButton("2")]
    expect((await acts.act("edit 1", "edit", [one])).sort()).toEqual([message, "edit 1"].sort())
    expect(await acts.left()).toEqual(["edit 1"])
    expect((await acts.act("edit 2", "edit", [other])).sort()).toEqual(["edit 1", "edit 2"])
    expect(await acts.left()).toEqual(["edit 2"])
    expect(await acts.act("delete", "delete", [])).toEqual(["edit 2"])
    expect(await acts.left()).toEqual([])
  })

  test("still works for a minute after an edit with the same button, unless it works once", async () => {
    const database = await open(await make())
    const {ask, press, idle, pressed, heard} = await start(database, true)
    const message = await ask()
    const acts = actsOn(database, message)
    await acts.act("edit 1", "edit", [anotherButton('"yes"')], Date.now())
    await press(`${message}:1`, "ann")
    await press(`${message}:2`, "bob")
    await idle()
    expect([pressed, heard]).toEqual([['ann "yes"'], ["bob host/button/gone"]])
    // By the stored times, the next edit comes long after.
    await acts.act("edit 2", "edit", [anotherButton('"yes"')], Date.now() - 60_000)
    await press(`${message}:1`, "eve")
    await idle()
    expect([pressed.length, heard.at(-1)]).toEqual([1, "eve host/button/gone"])
    await acts.act("edit 3", "edit", [anotherButton('"yes"', 1)], Date.now())
    await acts.act("edit 4", "edit", [anotherButton('"yes"', 1)], Date.now())
    expect(await acts.left()).toEqual(["edit 4"])
  })
})

/** A button with the same action as those of "ask". */
const anotherButton = (data: string, once: 0 | 1 = 0) =>
  h("button", {id: makeButtonId({handler: vote, data, expires: 60_000, once, asked: 0})})

const actsOn = (database: Database, message: string) => {
  const left = async () => (await database.read("SELECT DISTINCT message FROM buttons")).map(row => row.message)
  return {
    /** The messages that have buttons. */
    left,
    /** Stores an act as done by the platform at a time. Resolves to the messages that had buttons in between. */
    act: async (id: string, kind: string, content: readonly unknown[], at = Date.now()) => {
      const act = JSON.stringify({message: {outbox: message}, content})
      await database.write([outboxRow(id, {kind, content: act, created_at: at})])
      const before = await left()
      await database.write([{sql: "UPDATE outbox SET state = 'sent', ended_at = ? WHERE id = ?", args: [at, id]}])
      return before
    },
  }
}

describe.each(engines)("a numbered list on $name", ({make}) => {
  test("is answered by number: the newest in its channel, or the quoted one", async () => {
    const database = await open(await make())
    const first = await start(database, false)
    const old = await first.ask()
    await first.ask()
    await first.ask("ann", "elsewhere")
    await first.inbox.drain()
    const {say, pressed, heard} = await start(database, false, {once: true})
    await say("１\u200e", "bob")
    await say("3", "bob")
    await say("1 of them", "bob")
    await say(`<quote id="p${old}"/>٢`, "bob")
    await say('<quote id="other"/>2', "bob")
    expect(pressed).toEqual(['bob "yes"', 'bob "no"'])
    expect(heard).toEqual(["bob says 3", "bob says 1 of them", 'bob says <quote id="other"/>2'])
  })

  test("that works once is answered once; before its delivery and afterwards a number is a message", async () => {
    const {ask, say, pressed, heard, database} = await start(await open(await make()), false, {once: true, asked: true})
    await ask()
    await database.write([{sql: "UPDATE outbox SET state = 'queued'"}])
    await say("1")
    await database.write([{sql: "UPDATE outbox SET state = 'sent'"}])
    await say("1", "bob")
    await Promise.all([say("1"), say("2")])
    await say("1")
    expect(pressed).toEqual(['ann "yes"'])
    expect(heard).toEqual(["ann says 1", "bob says 1", "ann says 2", "ann says 1"])
  })
})
