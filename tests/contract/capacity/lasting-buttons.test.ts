import {v7 as uuid} from "uuid"
import {expect, test} from "vitest"
import {lasting, makeButtonId} from "../../../server/database/buttons/button-id.ts"
import type {Database} from "../../../server/database/database.ts"
import {moveBackWaits} from "../../../server/inbox/upkeep/set-back.ts"
import {locate} from "../../../server/outbox/rows.ts"
import {redactOutbox} from "../../../server/outbox/upkeep/redact.ts"
import {mostLasting} from "../../../server/outbox/upkeep/retention.ts"
import {systemClock} from "../../../server/runtime/flow/clock.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import {h} from "../../../shared/sdk/content/elements.ts"
import {aDay, countOf, retentionOf} from "../../support/capacity/retention.ts"
import {localDatabase, log, open} from "../../support/database/databases.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {hearing, startInbox} from "../../support/messages/line-inbox.ts"

const start = Date.parse("2027-03-01T00:00:00Z")
const roles = "root/menu/action/roles"

interface Shown {
  readonly handler?: string
  readonly expires?: number
  readonly once?: 0 | 1
  readonly edits?: string
  readonly state?: string
}

const show = async (
  database: Database,
  id: string,
  {handler = roles, expires = lasting, once = 0, edits, state = "sent"}: Shown = {},
): Promise<void> => {
  const shown = [h("button", {id: makeButtonId({handler, data: "null", expires, once, asked: 0})}, "One")]
  const content = edits === undefined ? shown : {message: {outbox: edits}, content: shown}
  await database.write([
    {
      sql: "INSERT INTO outbox (id, kind, endpoint, channel, content, created_at) VALUES (?, ?, 'line', 'c', ?, ?)",
      args: [id, edits === undefined ? "message" : "edit", JSON.stringify(content), start],
    },
    {
      sql: "UPDATE outbox SET state = ?, ended_at = ?, platform_ids = ? WHERE id = ?",
      args: [state, start, JSON.stringify([`p${id}`]), id],
    },
  ])
}

const idsIn = async (database: Database) =>
  (await database.read("SELECT id FROM outbox ORDER BY seq")).map(({id}) => id)

const sweep = (database: Database, days: number) => retentionOf(database).sweep(start + days * aDay)

/** Answers presses of a platform with or without buttons at a time after the start. Returns the handlers of events. */
const pressing = async (database: Database, {days, hasButtons = false}: {days: number; hasButtons?: boolean}) => {
  const clock = {...systemClock, now: () => start + days * aDay}
  const heard: string[] = []
  const {receive, idle} = await startInbox(
    database,
    {match: (_, given) => [given ?? "others"], run: hearing((_, handler) => heard.push(handler))},
    {clock, spec: {features: hasButtons ? ["buttons"] : []}},
  )
  const hear = async (event: Partial<Incoming>) => {
    await receive(incoming(uuid(), {timestamp: clock.now(), ...event}))
    await idle()
  }
  return {
    heard,
    press: (id: string) => hear({type: "interaction/button", button: {id}}),
    say: (content: string) => hear({message: {id: uuid(), content}}),
  }
}

test("a button that lasts keeps its message, and works years later and after the clock was set back", async () => {
  const database = await open(await localDatabase())
  const [menu, poll] = [uuid(), uuid()]
  await show(database, menu)
  await show(database, poll, {expires: 30 * aDay})
  await moveBackWaits(database, log, start - 400 * aDay)
  await sweep(database, 3000)
  expect(await idsIn(database)).toEqual([menu])
  const {press, heard} = await pressing(database, {days: 3000, hasButtons: true})
  await press(`${menu}:1`)
  await press(`${poll}:1`)
  expect(heard).toEqual([roles, "host/button/gone"])
})

test("an edit that shows it keeps the edited message too; one without it, or a redaction, ends it", async () => {
  const database = await open(await localDatabase())
  const [menu, edit, other] = [uuid(), uuid(), uuid()]
  await show(database, menu)
  await show(database, other)
  await show(database, edit, {edits: menu})
  await sweep(database, 100)
  expect(await idsIn(database)).toEqual([menu, other, edit])
  expect(await locate(database, edit)).toMatchObject({message: {outbox: menu}})
  await redactOutbox(database, other, null)
  await show(database, uuid(), {edits: menu, expires: 1})
  await sweep(database, 100)
  expect(await idsIn(database)).toEqual([])
})

test("its message goes like any other once the button was pressed for the only time, or was never sent", async () => {
  const database = await open(await localDatabase())
  const [once, unsent] = [uuid(), uuid()]
  await show(database, once, {once: 1})
  await show(database, unsent, {state: "discarded"})
  const {press, heard} = await pressing(database, {days: 1, hasButtons: true})
  await press(`${once}:1`)
  expect(heard).toEqual([roles])
  await sweep(database, 200)
  expect(await idsIn(database)).toEqual([])
})

test("each action keeps its newest messages only", async () => {
  const database = await open(await localDatabase())
  for (let n = 0; n < 3; n++) await show(database, `menu ${n}`)
  await show(database, "ticket", {handler: "root/desk/action/close"})
  await Promise.all(Array.from({length: mostLasting - 1}, (_, n) => show(database, `tickets ${n}`)))
  await sweep(database, 100)
  expect(await countOf(database, "outbox")).toBe(mostLasting + 1)
  expect((await idsIn(database)).slice(0, 2)).toEqual(["menu 2", "ticket"])
})

test("a bare number answers a list that lasts for 30 days, and a number that quotes the list always", async () => {
  const database = await open(await localDatabase())
  const menu = uuid()
  await show(database, menu)
  const early = await pressing(database, {days: 29})
  await early.say("1")
  const late = await pressing(database, {days: 400})
  await late.say("1")
  await late.say(`<quote id="p${menu}"/>1`)
  expect([early.heard, late.heard]).toEqual([[roles], ["others", roles]])
})
