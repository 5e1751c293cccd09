import {setTimeout as sleep} from "node:timers/promises"
import {v7 as uuid} from "uuid"
import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import type {HandlerOrders} from "../../../shared/config/config.ts"
import type {HandlerOrder} from "../../../shared/sdk/session/handler.ts"
import {engines, open, until} from "../../support/database/databases.ts"
import {command} from "../../support/messages/commands.ts"
import {dispatchTo, hearerOf, runnerOf, tableOf} from "../../support/messages/dispatching.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

interface Options {
  readonly orders?: HandlerOrders
  /** The order that the command declares. */
  readonly own?: HandlerOrder
  /** Does a handler hear every message too? */
  readonly hears?: boolean
  readonly hasMiddleware?: boolean
}

/** An inbox with the command `/price <n>`, each call of which runs until the test ends it. */
const begin = async (database: Database, {orders = {}, own, hears = false, hasMiddleware = false}: Options = {}) => {
  const began: string[] = []
  const open = new Map<string, () => void>()
  const run = (what: string) => {
    began.push(what)
    return new Promise<void>(resolve => open.set(what, resolve))
  }
  const price = {
    command: {
      ...command("price <n>"),
      id: "root/shop/command/price",
      handle: ({session}: Parameters<ReturnType<typeof command>["handle"]>[0]) =>
        run(`${session.event.user?.id} ${session.text.slice(7)}`),
    },
    runner: runnerOf("root/shop/command/price", own === undefined ? {} : {order: own}),
  }
  const id = "root/ear/handler/message-created.0"
  const hearer = hearerOf(({event, text}) => run(`heard ${event.user?.id} ${text.slice(7)}`), {id})
  const passing = {...runnerOf("root/gate/middleware/0"), around: (_: unknown, next: () => Promise<void>) => next()}
  const table = tableOf({
    commands: [price],
    handlers: hears ? [hearer] : [],
    middleware: hasMiddleware ? [passing] : [],
    orders,
  })
  const {receive} = await startInbox(database, dispatchTo(table))
  /** Each says `/price <n>`: a user, n, and a channel other than `c`. */
  const say = async (...calls: string[]) => {
    for (const [user = "", n, channel = "c"] of calls.map(call => call.split(" "))) {
      const message = {id: uuid(), content: `/price ${n}`}
      await receive(incoming(uuid(), {user: {id: user}, channel: {id: channel, type: 0}, message}))
    }
  }
  /** Ends a call, and waits until its mark has ended. */
  const end = async (what: string) => {
    const ended = async () =>
      Number((await database.read("SELECT count(*) AS n FROM inbox_marks WHERE state = 'handled'"))[0]?.n)
    const before = await ended()
    await until(`${what} to begin`, () => open.has(what))
    open.get(what)?.()
    await until(`${what} to end`, async () => (await ended()) > before)
  }
  /** Resolves to all begun calls, sorted, once this many have begun and some time has passed. */
  const begun = async (count: number) => {
    await until(`${count} calls to begin`, () => began.length >= count)
    await sleep(50)
    return began.toSorted()
  }
  return {say, end, begun}
}

describe.each(engines)("the order of handlers on $name", ({make}) => {
  const database = async () => open(await make())

  test("without a word about it, a conversation is handled event by event", async () => {
    const {say, end, begun} = await begin(await database())
    await say("ann 1", "bob 2")
    expect(await begun(1)).toEqual(["ann 1"])
    await end("ann 1")
    expect(await begun(2)).toEqual(["ann 1", "bob 2"])
  })

  test.each([
    ["by the configuration", {orders: {commands: "user"}}],
    ["by its own order", {own: "user"}],
    ["by its own order, which overrides the configuration", {own: "user", orders: {commands: "channel"}}],
  ] as const)("by user, %s, a slow command delays only its user", async (_, options) => {
    const {say, end, begun} = await begin(await database(), options)
    await say("ann 1", "ann 2", "bob 3", "cem 4")
    expect(await begun(3)).toEqual(["ann 1", "bob 3", "cem 4"])
    await end("bob 3")
    await say("bob 5")
    await end("ann 1")
    expect(await begun(5)).toEqual(["ann 1", "ann 2", "bob 3", "bob 5", "cem 4"])
  })

  test("none: a command waits for nothing", async () => {
    const {say, begun} = await begin(await database(), {own: "none"})
    await say("ann 1", "ann 2", "ann 3")
    expect(await begun(3)).toEqual(["ann 1", "ann 2", "ann 3"])
  })

  test("each handler of an event keeps its own order", async () => {
    const {say, end, begun} = await begin(await database(), {orders: {commands: "user"}, hears: true})
    await say("ann 1", "bob 2")
    expect(await begun(3)).toEqual(["ann 1", "bob 2", "heard ann 1"])
    await end("heard ann 1")
    expect(await begun(4)).toContain("heard bob 2")
  })

  test("middleware keeps the strictest order of what is inside", async () => {
    const alone = await begin(await database(), {orders: {commands: "user"}, hasMiddleware: true})
    await alone.say("ann 1", "ann 2", "bob 3")
    expect(await alone.begun(2)).toEqual(["ann 1", "bob 3"])
    const mixed = await begin(await database(), {orders: {commands: "user"}, hasMiddleware: true, hears: true})
    await mixed.say("ann 1", "bob 2")
    expect(await mixed.begun(2)).toEqual(["ann 1", "heard ann 1"])
  })

  test("a next run keeps the orders of what is left", async () => {
    const kept = await database()
    const options = {orders: {commands: "user"}, hears: true} as const
    const first = await begin(kept, {...options, orders: {}})
    await first.say("ann 1", "ann 2", "bob 3")
    expect(await first.begun(2)).toEqual(["ann 1", "heard ann 1"])
    // The first run is cut off, and its handlers never end.
    const {begun, end} = await begin(kept, options)
    expect(await begun(3)).toEqual(["ann 1", "bob 3", "heard ann 1"])
    await end("ann 1")
    expect(await begun(4)).toEqual(["ann 1", "ann 2", "bob 3", "heard ann 1"])
    await end("heard ann 1")
    expect(await begun(5)).toContain("heard ann 2")
  })

  test("many users of one channel take no places of other channels", async () => {
    const {say, begun} = await begin(await database(), {orders: {commands: "user"}})
    await Promise.all(Array.from({length: 1100}, (_, n) => say(`user${n} 1`)))
    expect(await begun(1024)).toHaveLength(1024)
    await say("ann 1 elsewhere")
    expect(await begun(1025)).toContain("ann 1")
  })
})
