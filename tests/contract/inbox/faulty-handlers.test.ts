import {setImmediate as turn} from "node:timers/promises"
import {expect, onTestFinished, test, vi} from "vitest"
import {pluginDatabase} from "../../../server/generation/plugins/plugin-database.ts"
import type {Reply, Session} from "../../../shared/sdk/session/session.ts"
import {localDatabase, open, readLines} from "../../support/database/databases.ts"
import {haveEnded, until} from "../../support/host/host.ts"
import {dispatchTo, hearerOf, tableOf} from "../../support/messages/dispatching.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

/** The time limit of handlers that hang, in milliseconds. */
const short = 300

/** The time limit of handlers whose clock the test moves. */
const long = 60_000

/** Stops the clock of the handlers that start now, until `pass()`: none of them times out before. */
const holdTime = (): {pass(): void} => {
  vi.useFakeTimers({toFake: ["setTimeout", "clearTimeout"]})
  onTestFinished(() => void vi.useRealTimers())
  return {
    pass: () => {
      vi.advanceTimersByTime(long)
      vi.useRealTimers()
    },
  }
}

/** An inbox with short time limits. Each handler belongs to its own plugin. */
const start = async (
  handlers: Readonly<Record<string, (session: Session) => Reply>>,
  {retries = 0, timeout = short} = {},
) => {
  const database = await open(await localDatabase())
  await database.migrate([{sql: "CREATE TABLE p_notes_all (text TEXT PRIMARY KEY)"}], new AbortController().signal)
  const events = Object.entries(handlers).map(([name, handle]) =>
    hearerOf(handle, {
      id: `root/${name}/handler/message-created.0`,
      retries,
      plugin: {name: "p", database: pluginDatabase("notes", database), prompt: () => undefined},
    }),
  )
  const dispatch = dispatchTo(tableOf({prefixes: [], handlers: events}), {timeout})
  const {inbox, receive} = await startInbox(database, dispatch, {pauses: {first: 1, longest: 1}})
  const say = (text: string) => receive(incoming(text))
  const marks = () =>
    database.read(
      "SELECT i.event_id AS text, handler, state, attempt, m.error FROM inbox_marks m JOIN inbox i USING (seq) ORDER BY seq, handler",
    )
  const ended = () =>
    until("all handlers to end", async () => {
      const rows = await marks()
      return haveEnded(rows) && rows
    })
  const sent = () => readLines(database, "SELECT content ->> '$[0]' AS text FROM outbox ORDER BY seq")
  const notes = () => readLines(database, "SELECT text FROM p_notes_all")
  return {inbox, say, ended, sent, notes}
}

const keep = (session: Session, text: string) =>
  session.database.write([{sql: `INSERT INTO ${session.database.table("all")} (text) VALUES (?)`, args: [text]}])

test("a handler that hangs fails after its time limit without a retry, and its conversation continues", async () => {
  const {say, ended, sent} = await start(
    {hang: session => (session.text === "hang" ? new Promise<never>(() => {}) : `heard ${session.text}`)},
    {retries: 3},
  )
  await say("hang")
  await say("next")
  expect(await ended()).toMatchObject([
    {text: "hang", state: "failed", attempt: 1, error: "timed out after 0.3 s"},
    {text: "next", state: "handled", attempt: 1},
  ])
  expect(await sent()).toEqual(["heard next"])
})

test("a handler past its time limit can send, write and ask nothing; its earlier sendNow stays", async () => {
  const late: unknown[] = []
  const inTime = Promise.withResolvers<void>()
  const {say, ended, sent, notes} = await start(
    {
      late: async session => {
        await session.sendNow("in time")
        await keep(session, "in time")
        inTime.resolve()
        await new Promise(resolve => session.signal.addEventListener("abort", resolve))
        for (const work of [() => session.send("late"), () => session.sendNow("late"), () => keep(session, "late")]) {
          late.push(await work().catch(error => error.code))
        }
        return "late"
      },
    },
    {timeout: long},
  )
  const time = holdTime()
  await say("go")
  await inTime.promise
  time.pass()
  expect(await ended()).toMatchObject([{state: "failed", attempt: 1}])
  await until("the late calls", () => late.length === 3)
  expect(late).toEqual(["late", "late", "late"])
  expect([await sent(), await notes()]).toEqual([["in time"], []])
})

test("a handler past its time limit cannot touch the attempt that an operator requested", async () => {
  const early: unknown[] = []
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let runs = 0
  const {inbox, say, ended, sent, notes} = await start(
    {
      slow: async session => {
        const run = ++runs
        await keep(session, `run ${run}`)
        if (run === 1) {
          first.resolve()
          await second.promise
          early.push(await session.sendNow("by the first").catch(error => error.code))
          return "the first"
        }
        second.resolve()
        while (early.length === 0) await turn()
        return "the second"
      },
    },
    {timeout: long},
  )
  const time = holdTime()
  const {sn} = await say("go")
  await first.promise
  time.pass()
  expect(await ended()).toMatchObject([{state: "failed", attempt: 1}])
  await inbox.act("retry", {seq: sn})
  expect(await ended()).toMatchObject([{state: "handled", attempt: 2, error: null}])
  expect(early).toEqual(["late"])
  expect([await sent(), await notes()]).toEqual([["the second"], ["run 2"]])
})

test("two plugins on one event each keep their results, whatever the other does", async () => {
  const {say, ended, sent, notes} = await start({
    bad: async session => {
      await keep(session, "bad")
      await session.send("bad")
      throw new Error("as it happens")
    },
    good: async session => {
      await keep(session, "good")
      return "good"
    },
    hangs: () => new Promise<never>(() => {}),
  })
  await say("go")
  expect((await ended()).map(({handler, state}) => `${handler} ${state}`)).toEqual([
    "root/bad/handler/message-created.0 failed",
    "root/good/handler/message-created.0 handled",
    "root/hangs/handler/message-created.0 failed",
  ])
  expect([await sent(), await notes()]).toEqual([["good"], ["good"]])
})
