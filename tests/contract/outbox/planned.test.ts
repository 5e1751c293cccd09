import {describe, expect, onTestFinished, test} from "vitest"
import type {Location} from "../../../server/database/database.ts"
import {noPolicy, type Policy} from "../../../server/endpoints/policy.ts"
import {addressOf} from "../../../server/outbox/draft.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {selectNext} from "../../../server/outbox/schedule.ts"
import {Problem} from "../../../shared/problems.ts"
import {h} from "../../../shared/sdk/content/elements.ts"
import {markdown} from "../../../shared/sdk/content/shorthands.ts"
import {engines, localDatabase, log, open, readLines, until} from "../../support/database/databases.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"

const start = "2026-03-01T12:00:00Z"
const minute = 60_000

interface Endpoint {
  readonly requireOpen: () => void
  readonly policy: Policy
  /** Resolves when this user's direct channel is open. */
  readonly opening: (user: string) => Promise<void>
}

/** An outbox with a clock of the test, whose endpoint opens direct channels and records its sends. */
const openOutbox = async (
  place: Location,
  {requireOpen = () => {}, policy = noPolicy, opening = async () => {}}: Partial<Endpoint> = {},
) => {
  const database = await open(place)
  const clock = new HandClock(start, 60 * minute)
  const outbox = new Outbox(database, log, {clock, requireOpen})
  const sent: string[] = []
  let opened = 0
  const sender = {
    send: async ({id, channel, content}: {id: string; channel: string; content: readonly unknown[]}) => {
      sent.push(`${channel}: ${content.join("")}`)
      return {ids: [id]}
    },
    open: async (user: string) => {
      await opening(user)
      return {id: `dm-${user}-${++opened}`, type: 1}
    },
  }
  await outbox.start({sender: () => sender, policy: () => policy})
  onTestFinished(() => outbox.drain())
  let number = 0
  const plan = (text: string, more: {key?: string; due?: number; user?: string; plugin?: string} = {}) => {
    const {key, due, user, plugin = "bot"} = more
    const target = user === undefined ? {endpoint: "line", channel: "team"} : {endpoint: "line", user}
    const draft = {...addressOf(target), id: `m${++number}`, kind: "message", content: [text]} as const
    return outbox.plan(draft, {plugin, key, due})
  }
  const states = () => readLines(database, "SELECT id, state FROM outbox ORDER BY seq")
  return {database, clock, outbox, sent, plan, states}
}

describe.each(engines)("a message that a plugin sends outside its handlers, on $name,", ({make}) => {
  test("is waited for until it has ended, also by several at once", async () => {
    const opening = Promise.withResolvers<void>()
    const {plan, outbox} = await openOutbox(await make(), {opening: () => opening.promise})
    await plan("hello", {user: "ann"})
    await plan("later", {due: Date.parse(start) + minute})
    const over = new Set<string>()
    const ended = (id: string) => outbox.ended(id, []).finally(() => over.add(id))
    const first = [ended("m1"), ended("m1")]
    const second = ended("m2")
    await plan("other")
    await expect(ended("m3")).resolves.toEqual({endpoint: "line", channel: "team", state: "sent", platform: ["m3"]})
    expect([...over]).toEqual(["m3"])
    opening.resolve()
    const direct = {endpoint: "line", state: "sent", platform: ["m1"]}
    expect(await Promise.all(first)).toEqual([expect.objectContaining(direct), expect.objectContaining(direct)])
    await outbox.cancel("m2", "bot")
    expect(await second).toMatchObject({state: "discarded", platform: []})
  })

  test("is waited for no longer than a signal says, and not at all if it is unknown", async () => {
    const {plan, outbox} = await openOutbox(await make())
    await plan("later", {due: Date.parse(start) + minute})
    const waiting = new AbortController()
    const ended = expect(outbox.ended("m1", [new AbortController().signal, waiting.signal])).rejects.toThrow("enough")
    waiting.abort(new Error("enough"))
    await ended
    await expect(outbox.ended("m1", [waiting.signal])).rejects.toThrow("enough")
    await expect(outbox.ended("m9", [])).rejects.toMatchObject({code: "outbox_unknown"})
  })

  test("is stored once under a key, however often it is sent again", async () => {
    const {plan, sent, states, outbox} = await openOutbox(await make())
    const ids = await Promise.all([
      plan("one", {key: "k"}),
      plan("again", {key: "k"}),
      plan("other", {key: "k", plugin: "b"}),
    ])
    expect(ids).toEqual(["m1", "m1", "m3"])
    await until("both to be sent", () => sent.length === 2)
    await outbox.idle()
    expect(await plan("late", {key: "k"})).toBe("m1")
    expect(await states()).toEqual(["m1 sent", "m3 sent"])
    expect([...sent].sort()).toEqual(["team: one", "team: other"])
  })

  test("has elements instead of Markdown, as has one of an application", async () => {
    const {outbox, database, sent} = await openOutbox(await make())
    const draft = {
      ...addressOf({endpoint: "line", channel: "team"}),
      kind: "message",
      content: [markdown("*a*")],
    } as const
    await outbox.plan({...draft, id: "m1"}, {plugin: "bot", key: undefined})
    await outbox.enqueue({...draft, id: "m2"})
    await until("both to be sent", () => sent.length === 2)
    const rows = await database.read("SELECT content FROM outbox")
    for (const {content} of rows) expect(JSON.parse(String(content))).toEqual([h("i", "a")])
  })

  test("is known by its key while ingress is paused, and a new one is refused", async () => {
    let isPaused = false
    const requireOpen = () => {
      if (isPaused) throw new Problem("ingress_paused", "paused")
    }
    const {plan} = await openOutbox(await make(), {requireOpen})
    await plan("one", {key: "k"})
    isPaused = true
    expect(await plan("again", {key: "k"})).toBe("m1")
    await expect(plan("other", {key: "k", plugin: "b"})).rejects.toMatchObject({code: "ingress_paused"})
    await expect(plan("two")).rejects.toMatchObject({code: "ingress_paused"})
  })

  test("is sent at its time, or at once when that is past", async () => {
    const {clock, plan, sent, states, outbox} = await openOutbox(await make())
    const settle = () => outbox.idle()
    await plan("later", {due: Date.parse(start) + 5 * minute})
    await plan("now", {due: Date.parse(start) - minute})
    await until("the first message", () => sent.length === 1)
    await outbox.idle()
    expect(await states()).toEqual(["m1 scheduled", "m2 sent"])
    await clock.passTo("2026-03-01T12:04:59Z", settle)
    expect(sent).toEqual(["team: now"])
    await clock.passTo("2026-03-01T12:05:00Z", settle)
    await until("the second message", () => sent.length === 2)
    expect(sent).toEqual(["team: now", "team: later"])
  })

  test("is cancelled before it starts, by its own plugin only", async () => {
    const {plan, outbox, sent, states} = await openOutbox(await make())
    const later = await plan("later", {due: Date.parse(start) + minute})
    const now = await plan("now")
    await until("one to be sent", () => sent.length === 1)
    await outbox.idle()
    await expect(outbox.cancel(later, "other")).rejects.toMatchObject({code: "outbox_unknown"})
    expect([
      await outbox.cancel(later, "bot"),
      await outbox.cancel(later, "bot"),
      await outbox.cancel(now, "bot"),
    ]).toEqual([true, false, false])
    expect(await states()).toEqual([`${later} discarded`, `${now} sent`])
  })

  test("goes to a user's direct channel, which the platform opens once", async () => {
    const {plan, sent, database} = await openOutbox(await make())
    await plan("one", {user: "ann"})
    await plan("two", {user: "ann"})
    await until("both to be sent", () => sent.length === 2)
    expect(sent).toEqual(["dm-ann-1: one", "dm-ann-1: two"])
    expect(await database.read("SELECT DISTINCT channel, user FROM outbox")).toEqual([
      {channel: "user:ann", user: "ann"},
    ])
  })

  test("is paced from the time when the platform received the previous one, however slow its start", async () => {
    const isOpen = Promise.withResolvers<void>()
    let asked = 0
    const opening = async (user: string) => {
      asked++
      if (user === "ann") await isOpen.promise
    }
    const policy = {...noPolicy, rates: [{messages: 1, per: 60_000}]}
    const {clock, outbox, plan, sent} = await openOutbox(await make(), {policy, opening})
    const settle = () => outbox.idle()
    await plan("one", {user: "ann"})
    await until("the request for the channel", () => asked === 1)
    await plan("two", {user: "bob"})
    await clock.passTo("2026-03-01T12:00:50Z", async () => {})
    isOpen.resolve()
    await until("the first message", () => sent.length === 1)
    await clock.passTo("2026-03-01T12:01:49Z", settle)
    expect(sent).toEqual(["dm-ann-1: one"])
    await clock.passTo("2026-03-01T12:01:50Z", settle)
    await until("the second message", () => sent.length === 2)
    expect(sent).toEqual(["dm-ann-1: one", "dm-bob-2: two"])
  })
})

test("finding the next due message takes one index step, however many wait", async () => {
  const {database} = await openOutbox(await localDatabase())
  const steps = await database.read(`EXPLAIN QUERY PLAN ${selectNext}`)
  expect(steps.map(({detail}) => detail)).toEqual(["SCAN outbox USING COVERING INDEX outbox_scheduled"])
})

test.each([
  {endpoint: "", channel: "team"},
  {endpoint: "line"},
  {endpoint: "line", channel: ""},
  {endpoint: "line", channel: "team", user: "ann"},
  {channel: "team"},
])("a target that names no place is refused: %j", target => {
  expect(() => addressOf(target as never)).toThrow(/not valid/)
})
