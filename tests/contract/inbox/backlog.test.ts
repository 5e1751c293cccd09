import {describe, expect, test} from "vitest"
import {engines, open, readLines} from "../../support/database/databases.ts"
import {until} from "../../support/host/host.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {hearing, startInbox} from "../../support/messages/line-inbox.ts"

const [guard, hear] = ["root/bot/middleware/guard", "root/bot/handler/hear"]

/** An inbox of one conversation with four events: the handler of the first one runs until `go`. */
const blockedBy = async (database: Awaited<ReturnType<typeof open>>, blocking: string) => {
  const going = Promise.withResolvers<void>()
  const ran: string[] = []
  const {inbox, receive} = await startInbox(database, {
    match: () => (blocking === guard ? [guard, hear] : [hear]),
    nest: handlers => ({
      around: handlers.filter(each => each === guard),
      within: handlers.filter(each => each === hear),
    }),
    run: hearing(async ({event}, handler, {next}) => {
      ran.push(`${event.sn} ${handler === guard ? "guard" : "hear"}`)
      if (handler === blocking && event.sn === 1) await going.promise
      await next()
    }),
  })
  for (const id of ["one", "two", "three", "four"]) await receive(incoming(id))
  await until("the first handler", () => ran.length === 1)
  const statesOf = () => readLines(database, "SELECT state, error FROM inbox_marks ORDER BY seq, handler")
  const settle = () => inbox.idle()
  return {inbox, ran, go: going.resolve, statesOf, settle}
}

describe.each(engines)("a backlog on $name", ({make}) => {
  test("is held and discarded beside the running handler, and released in its order", async () => {
    const {inbox, ran, go, statesOf, settle} = await blockedBy(await open(await make()), hear)
    expect(await inbox.act("hold", {seq: [3, 1, 2]})).toMatchObject({events: 2, handlers: 2})
    expect(await inbox.act("discard", {seq: [4, 1]})).toMatchObject({events: 1})
    await expect(inbox.act("discard", {seq: 1})).rejects.toMatchObject({code: "inbox_state"})
    go()
    await settle()
    expect(ran).toEqual(["1 hear"])
    expect(await statesOf()).toEqual(["handled", "held operator", "held operator", "discarded"])
    await inbox.act("release", "held")
    await settle()
    expect(ran).toEqual(["1 hear", "2 hear", "3 hear"])
    expect(await statesOf()).toEqual(["handled", "handled", "handled", "discarded"])
  })

  test("keeps a handler and the middleware around it together", async () => {
    const {inbox, ran, go, statesOf, settle} = await blockedBy(await open(await make()), guard)
    // The middleware of the first event runs, and may still stop the event.
    expect(await inbox.act("hold", {seq: [1, 2]})).toMatchObject({events: 1, handlers: 2})
    expect(await inbox.act("discard", {seq: [3], plugin: "bot", states: ["pending"]})).toMatchObject({handlers: 1})
    expect(await inbox.act("discard", {seq: [4], command: "hear", states: ["pending"]})).toMatchObject({handlers: 0})
    go()
    await settle()
    expect(ran).toEqual(["1 guard", "1 hear", "3 guard", "4 guard", "4 hear"])
    expect((await statesOf()).slice(2, 6)).toEqual(["held operator", "held operator", "discarded", "handled"])
  })
})
