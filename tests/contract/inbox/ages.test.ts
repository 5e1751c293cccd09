import {v7 as uuid} from "uuid"
import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {Ingress} from "../../../server/endpoints/ingress.ts"
import {awayUntil, keptSince} from "../../../server/endpoints/pasts.ts"
import {ageOf, sinceInSql, sinceOf} from "../../../server/inbox/intake/age.ts"
import {builtInTexts} from "../../../server/messages/texts/host-texts.ts"
import type {Span} from "../../../server/runtime/flow/clock.ts"
import type {MaxAges} from "../../../shared/config/config.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import type {Middleware} from "../../../shared/sdk/session/session.ts"
import {localDatabase, log, open, readLines} from "../../support/database/databases.ts"
import {command} from "../../support/messages/commands.ts"
import {dispatchTo, hearerOf, runnerOf, tableOf} from "../../support/messages/dispatching.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"

const start = "2026-11-29T12:00:00Z"
const hour = 3_600_000
const noon = Date.parse(start)

interface Options {
  readonly host?: MaxAges
  readonly endpoint?: MaxAges
  /** The limit of the command itself. */
  readonly own?: string
  readonly tells?: boolean
  readonly away?: Span
  readonly uncounted?: () => readonly Span[]
  readonly hasMiddleware?: boolean
  readonly kept?: Database
  /** Called by each command before it ends. */
  readonly opening?: (text: string) => unknown
}

/** An inbox with the command `/open <n>` and a handler that hears every message. Both note their runs. */
const begin = async (options: Options = {}) => {
  const {
    host = {},
    endpoint = {},
    own,
    tells = true,
    away,
    uncounted = () => [],
    hasMiddleware = false,
    opening,
  } = options
  const clock = new HandClock(start)
  const database = options.kept ?? (await open(await localDatabase()))
  const ran: string[] = []
  const ages: number[] = []
  const opener = {
    command: {
      ...command("open <n>"),
      id: "root/door/command/open",
      handle: async ({session}: Parameters<ReturnType<typeof command>["handle"]>[0]) => {
        ran.push(session.text)
        ages.push(session.age)
        await opening?.(session.text)
      },
    },
    runner: runnerOf("root/door/command/open", {retries: 1, ...(own === undefined ? {} : {maxAge: own})}),
  }
  const around: Middleware = (session, next) => {
    ran.push(`around ${session.text}`)
    return next()
  }
  const table = tableOf({
    commands: [opener],
    handlers: [hearerOf(({text}) => void ran.push(`heard ${text}`), {id: "root/ear/handler/message-created.0"})],
    middleware: hasMiddleware ? [{...runnerOf("root/gate/middleware/0"), around}] : [],
    ages: {host, byEndpoint: new Map([["line", endpoint]]), tells},
  })
  const dispatch = dispatchTo(table, {clock, awayOf: () => away})
  const pauses = {first: 3 * hour, longest: 3 * hour}
  const {receive, ...line} = await startInbox(database, dispatch, {clock, pauses, uncounted})
  const say = (text: string, more: Partial<Incoming> = {}) =>
    receive(incoming(uuid(), {message: {id: uuid(), content: text}, ...more}))
  const marks = async () =>
    (await readLines(database, "SELECT handler, state FROM inbox_marks ORDER BY seq, handler")).map(
      mark => `${mark.split("/")[2]} ${mark.split(" ")[1]}`,
    )
  const notices = () => readLines(database, "SELECT content ->> '$[0]' AS text FROM outbox ORDER BY seq")
  return {...line, clock, database, say, marks, notices, ran, ages}
}

const before = (ms: number) => ({timestamp: noon - ms})

describe("the age of an event", () => {
  test.each([
    ["counts from what the server says", {timestamp: noon - hour, receivedAt: noon, keptSince: null}, noon, [], hour],
    [
      "counts from the arrival if the server is ahead",
      {timestamp: noon + hour, receivedAt: noon, keptSince: null},
      noon + 5,
      [],
      5,
    ],
    [
      "counts from the loss of the connection if kept",
      {timestamp: noon, receivedAt: noon, keptSince: noon - 9},
      noon,
      [],
      9,
    ],
    ["is zero if the clock was set back", {timestamp: noon, receivedAt: noon, keptSince: null}, noon - hour, [], 0],
    [
      "leaves out pauses, ended and present ones, as far as it waited",
      {timestamp: noon, receivedAt: noon, keptSince: null},
      noon + 100,
      [
        {from: noon - 10, to: noon + 20},
        {from: noon + 90, to: Number.POSITIVE_INFINITY},
      ],
      70,
    ],
  ] as const)("%s", async (_, times, now, pauses, age) => {
    expect(ageOf(sinceOf(times), now, pauses)).toBe(age)
    const {timestamp, receivedAt, keptSince} = times
    const [row] = await (await open(await localDatabase())).read(
      `SELECT ${sinceInSql} AS since FROM (SELECT ? AS event, ? AS received_at, ? AS kept_since)`,
      [JSON.stringify({timestamp}), receivedAt, keptSince],
    )
    expect(row?.since).toBe(sinceOf(times))
  })
})

test("a short connection does not end an outage, and a platform may keep what the Host refused", () => {
  const away = {from: noon - hour, to: noon}
  expect(awayUntil({away, awaySince: noon + 59_000}, noon + 90_000)).toEqual({from: noon - hour, to: noon + 90_000})
  expect(awayUntil({away, awaySince: noon + hour}, noon + 2 * hour)).toEqual({from: noon + hour, to: noon + 2 * hour})
  expect(awayUntil({away}, noon + hour)).toEqual(away)
  expect(keptSince({away, refusedSince: noon - 2 * hour})).toBe(noon - 2 * hour)
  expect(keptSince({away, awaySince: noon + 1})).toBe(noon + 1)
  expect(keptSince({})).toBeNull()
})

test("without a limit, nothing expires, and the handler learns the age", async () => {
  const {say, idle, marks, ran, ages} = await begin()
  await say("/open 1", before(20 * hour))
  await idle()
  expect(await marks()).toEqual(["command handled", "handler handled"])
  expect(ran).toContain("/open 1")
  expect(ages).toEqual([20 * hour])
})

test("a command above its limit expires with one notice in its conversation; other handlers run", async () => {
  const away = {from: noon - 20 * hour, to: noon}
  const {say, idle, marks, ran, notices, database} = await begin({host: {commands: "1h"}, away})
  for (const n of [1, 2, 3]) await say(`/open ${n}`, before(19 * hour))
  await say("/open 4", {...before(19 * hour), channel: {id: "other", type: 0}})
  await say("/open 5", before(hour / 2))
  await idle()
  expect((await marks()).filter(mark => mark === "command expired")).toHaveLength(4)
  expect(ran.filter(text => text.startsWith("/"))).toEqual(["/open 5"])
  expect(ran).toContain("heard /open 1")
  const text = builtInTexts.in("en")("expired.away", {from: "2026-11-28 16:00", to: "2026-11-29 12:00 UTC"})
  expect(await notices()).toEqual([text, text])
  expect(await database.read("SELECT count(*) AS n FROM events WHERE type = 'message.expired'")).toEqual([{n: 4}])
})

test("a conversation gets its notice once after a restart too, and none about handlers that nobody addressed", async () => {
  const away = {from: noon - 20 * hour, to: noon}
  const first = await begin({host: {commands: "1h", messages: "1h"}, away})
  await first.say("hello", before(2 * hour))
  await first.idle()
  expect(await first.notices()).toEqual([])
  await first.say("/open 1", before(19 * hour))
  await first.idle()
  const again = await begin({host: {commands: "1h"}, away, kept: first.database})
  await again.say("/open 2", before(19 * hour))
  // It waited mostly for something else.
  await again.say("/open 3", before(41 * hour))
  await again.idle()
  expect(await again.notices()).toHaveLength(1)
})

test("an endpoint sends at most 50 notices about an outage, and none with notice: false", async () => {
  const away = {from: noon - 20 * hour, to: noon}
  for (const [tells, count] of [
    [true, 50],
    [false, 0],
  ] as const) {
    const {say, idle, notices} = await begin({host: {commands: "1h"}, away, tells})
    for (let n = 0; n < 60; n++) await say("/open 1", {...before(19 * hour), channel: {id: `c${n}`, type: 0}})
    await idle()
    expect(await notices()).toHaveLength(count)
  }
})

test("if the bot was not away, the notice says that it waited too long", async () => {
  const {say, idle, notices} = await begin({host: {commands: "1h"}, away: {from: noon - 20, to: noon - 10}})
  await say("/open 1", before(2 * hour))
  await idle()
  expect(await notices()).toEqual([builtInTexts.in("en")("expired.late")])
})

test.each([
  ["the command's limit overrides the endpoint's and the Host's", {own: "3h", endpoint: {commands: "1h"}}, "handled"],
  ["the endpoint's limit overrides the Host's", {endpoint: {commands: "3h"}, host: {commands: "1h"}}, "handled"],
  ["never lifts a wider limit", {endpoint: {commands: "never"}, host: {commands: "1h"}}, "handled"],
  ["the command's own limit needs no other", {own: "1h"}, "expired"],
] as const)("%s", async (_, options, state) => {
  const {say, idle, marks} = await begin(options)
  await say("/open 1", before(2 * hour))
  await idle()
  expect((await marks())[0]).toBe(`command ${state}`)
})

test("what expired runs at any age once a person retries it, and can be discarded", async () => {
  const {say, idle, marks, ran, inbox} = await begin({host: {commands: "1h"}})
  const {sn} = await say("/open 1", before(2 * hour))
  await idle()
  await inbox.act("retry", {seq: sn})
  await idle()
  expect(await marks()).toEqual(["command handled", "handler handled"])
  expect(ran).toContain("/open 1")
  const other = await say("/open 2", before(2 * hour))
  await idle()
  await inbox.act("discard", {seq: other.sn})
  expect((await marks()).at(2)).toBe("command discarded")
})

test("a middleware runs unless every handler inside it has expired", async () => {
  const some = await begin({hasMiddleware: true, host: {commands: "1h"}})
  await some.say("/open 1", before(2 * hour))
  await some.idle()
  expect(await some.marks()).toEqual(["command expired", "handler handled", "middleware handled"])
  const all = await begin({hasMiddleware: true, host: {commands: "1h", messages: "1h"}})
  await all.say("/open 1", before(2 * hour))
  await all.idle()
  expect(await all.marks()).toEqual(["command expired", "handler expired", "middleware expired"])
  expect(all.ran).toEqual([])
})

test("an event that waits behind a slow one expires at its turn, and a failed one before its retry", async () => {
  const slow = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const opening = (text: string) => {
    if (text !== "/open 1") throw new Error("the door is stuck")
    begun.resolve()
    return slow.promise
  }
  const {say, idle, marks, clock} = await begin({host: {commands: "1h"}, opening})
  await say("/open 1")
  await begun.promise
  await say("/open 2")
  await say("/open 3", {channel: {id: "other", type: 0}})
  await expect.poll(async () => (await marks()).filter(mark => mark === "command pending")).toHaveLength(2)
  await clock.passTo("2026-11-29T15:00:01Z", async () => {})
  slow.resolve()
  await idle()
  expect((await marks()).filter(mark => mark.startsWith("command"))).toEqual([
    "command handled",
    "command expired",
    "command expired",
  ])
})

test("a command expires instead of a retry after its storage failed until it is too old", async () => {
  const opening = () => {
    all.clock.set("2026-11-29T15:00:00Z")
    throw new Problem("database_unanswered", "the database is away")
  }
  const all = await begin({host: {commands: "1h"}, opening})
  await all.say("/open 1")
  await all.idle()
  expect(await all.marks()).toEqual(["command expired", "handler handled"])
  expect(all.ran.filter(text => text.startsWith("/"))).toHaveLength(1)
})

test("a command that a killed run left expires in the next run", async () => {
  const {database, marks, say, idle} = await begin()
  await say("/open 1", before(2 * hour))
  await idle()
  await database.write([
    {sql: "UPDATE inbox_marks SET state = 'pending', attempt = 1 WHERE handler LIKE '%/command/%'"},
  ])
  await (await begin({host: {commands: "1h"}, kept: database})).idle()
  expect(await marks()).toEqual(["command expired", "handler handled"])
})

test("a clock that jumps forward expires what waits, and a clock that is set back does not", async () => {
  const {say, idle, marks, clock} = await begin({host: {commands: "1h"}})
  clock.set("2026-11-29T10:00:00Z")
  await say("/open 1", before(0))
  clock.set("2026-11-30T12:00:00Z")
  await say("/open 2", before(0))
  await idle()
  expect((await marks()).filter(mark => mark.startsWith("command"))).toEqual(["command handled", "command expired"])
})

test("what a platform without times kept counts from the loss of the connection, until it was stored", async () => {
  const {say, idle, marks, endpoint} = await begin({host: {commands: "1h"}})
  endpoint.past.awaySince = noon - 2 * hour
  await say("/open 1", {isKept: true})
  await say("/open 2")
  await idle()
  expect((await marks()).filter(mark => mark.startsWith("command"))).toEqual(["command expired", "command handled"])
})

test("a pause for a release does not count, while it lasts and afterwards, over a restart too", async () => {
  const database = await open(await localDatabase())
  const ingress = new Ingress(database, log)
  await ingress.start()
  await ingress.pause("release")
  const [pause] = ingress.releases
  expect(pause).toEqual({from: expect.any(Number), to: Number.POSITIVE_INFINITY})
  await ingress.resume("release")
  await ingress.pause("operator")
  await ingress.resume("operator")
  const next = new Ingress(database, log)
  await next.start()
  expect(next.releases).toEqual([{from: pause?.from, to: expect.any(Number)}])
  const uncounted = () => [{from: noon - 2 * hour, to: noon - hour / 2}]
  const {say, idle, marks, ages} = await begin({host: {commands: "1h"}, uncounted})
  await say("/open 1", before(2 * hour))
  await idle()
  expect(await marks()).toEqual(["command handled", "handler handled"])
  expect(ages).toEqual([hour / 2])
})
