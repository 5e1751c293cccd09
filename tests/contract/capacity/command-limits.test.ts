import {v7 as uuid} from "uuid"
import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {builtInTexts} from "../../../server/messages/texts/host-texts.ts"
import {UserData} from "../../../server/project/capacity/user/user-data.ts"
import type {CommandRates} from "../../../shared/config/config.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import type {Cooldown} from "../../../shared/sdk/session/command.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import {retentionOf} from "../../support/capacity/retention.ts"
import {localDatabase, open, readLines, until} from "../../support/database/databases.ts"
import {command} from "../../support/messages/commands.ts"
import {dispatchTo, runnerOf, tableOf, untilSettled} from "../../support/messages/dispatching.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"

const noon = "2026-11-29T12:00:00Z"
const at = (time: string) => ({timestamp: Date.parse(`2026-11-29T${time}Z`)})

interface Options {
  readonly host?: CommandRates
  readonly cooldown?: Cooldown
  readonly permission?: Permission
  /** The text of a call that fails, the first time that it runs. */
  readonly failing?: string
  /** An earlier life, which was killed. */
  readonly after?: {readonly clock: HandClock; readonly database: Database; readonly ran: string[]}
}

/** An inbox with the command `/open <n>`, which notes its runs. */
const begin = async ({host = {}, cooldown, permission = "user", failing, after}: Options = {}) => {
  const clock = after?.clock ?? new HandClock(noon)
  const database = after?.database ?? (await open(await localDatabase()))
  const ran = after?.ran ?? []
  const id = "root/door/command/open"
  const opener = {
    ...command("open <n>", cooldown === undefined ? {} : {cooldown}),
    id,
    handle: ({session}: Parameters<ReturnType<typeof command>["handle"]>[0]) => {
      ran.push(session.text)
      if (session.text === failing && ran.filter(text => text === failing).length === 1) throw new Error("not yet")
      return undefined
    },
  }
  const table = tableOf({
    commands: [{command: opener, runner: runnerOf(id, {retries: 1})}],
    permissionOf: () => permission,
    rates: host,
  })
  const pauses = {first: 100, longest: 100}
  const {inbox, receive} = await startInbox(database, dispatchTo(table, {clock, database}), {clock, pauses})
  const say = async (text: string, more: Partial<Incoming> = {}) => {
    await receive(incoming(uuid(), {message: {id: uuid(), content: text}, ...more}))
    if (failing === undefined) await untilSettled(database)
  }
  const all = async (texts: readonly string[], more?: Partial<Incoming>) => {
    for (const text of texts) await say(text, more)
  }
  const notes = () => readLines(database, "SELECT seq, error FROM inbox_marks WHERE error IS NOT NULL ORDER BY seq")
  const answers = () => readLines(database, "SELECT content ->> '$[0]' AS text FROM outbox ORDER BY seq")
  const rows = () => readLines(database, "SELECT subject FROM plugin_state")
  return {clock, database, inbox, say, all, notes, answers, rows, ran}
}

const opens = (...numbers: readonly number[]) => numbers.map(n => `/open ${n}`)
const tooMany = (seconds: number) => builtInTexts.in("en")("call.limited", {seconds})
const inChannel = (id: string): Partial<Incoming> => ({channel: {id, type: 0}})
const ofUser = (id: string): Partial<Incoming> => ({user: {id}})

describe("a limit over all commands", () => {
  test("is none unless somebody sets it, and leaves no row", async () => {
    const {all, ran, rows, notes} = await begin()
    await all(opens(1, 2, 3, 4, 5))
    expect(ran).toEqual(opens(1, 2, 3, 4, 5))
    expect([await rows(), await notes()]).toEqual([[], []])
  })

  test("lets a user call some at once, then one in each part of its time; a flood is answered once and listed", async () => {
    const {all, say, ran, clock, answers, notes} = await begin({host: {user: "3/1m"}})
    await all(opens(1, 2, 3, 4))
    await say("/opem 5")
    await say("/open 6", inChannel("other"))
    expect(ran).toEqual(opens(1, 2, 3))
    expect(await answers()).toEqual([tooMany(20)])
    expect(await notes()).toEqual(["4 limited: user", "5 limited: user", "6 limited: user"])
    clock.set("2026-11-29T12:00:20Z")
    await all(opens(7, 8))
    expect(ran).toEqual(opens(1, 2, 3, 7))
    expect(await answers()).toHaveLength(1)
    clock.set("2026-11-29T12:02:00Z")
    await all(opens(9, 10, 11, 12))
    expect(ran.slice(4)).toEqual(opens(9, 10, 11))
    expect(await answers()).toHaveLength(2)
  })

  test("counts each user, and all users of a channel together; a refused call counts nowhere", async () => {
    const {all, say, ran, notes} = await begin({host: {user: "2/1h", channel: "3/1h"}})
    await all(opens(1, 2, 3, 4, 5))
    await say("/open 6", ofUser("bob"))
    await say("/open 7", ofUser("eve"))
    await say("/open 8", {...ofUser("eve"), ...inChannel("other")})
    expect(ran).toEqual(opens(1, 2, 6, 8))
    expect((await notes()).at(-1)).toBe("7 limited: channel")
  })

  test("does not count an admin", async () => {
    const {all, ran} = await begin({host: {user: "1/1h"}, permission: "admin"})
    await all(opens(1, 2, 3))
    expect(ran).toHaveLength(3)
  })

  test("counts a backlog by the times of its messages: only a flood in it is refused", async () => {
    const {say, ran} = await begin({host: {user: "1/1m"}})
    for (const [n, time] of ["09:00:00", "10:00:00", "10:00:01", "11:00:00"].entries())
      await say(`/open ${n}`, at(time))
    expect(ran).toEqual(opens(0, 1, 3))
  })

  test("counts an event once that is retried, and refuses nothing that a person has run again", async () => {
    const {say, ran, clock, database, inbox, notes} = await begin({host: {user: "2/1h"}, failing: "/open 1"})
    await say("/open 1")
    await say("/open 2", inChannel("other"))
    await until("both to have run", () => ran.length === 2)
    await clock.passTo("2026-11-29T12:00:01Z", () => untilSettled(database))
    await untilSettled(database)
    expect(ran).toEqual(["/open 1", "/open 2", "/open 1"])
    await database.write([{sql: "UPDATE inbox_marks SET state = 'failed' WHERE seq = 1"}])
    await say("/open 3")
    await untilSettled(database)
    expect(await notes()).toContain("3 limited: user")
    await inbox.act("retry", {seq: 1})
    await untilSettled(database)
    expect(ran).toEqual(["/open 1", "/open 2", "/open 1", "/open 1"])
  })
})

describe("after a restart", () => {
  test.each([
    ["a limit of a minute", {host: {user: "2/1m"}}],
    ["a cooldown of a minute", {cooldown: {per: "user", seconds: 60}}],
    ["a cooldown for everyone", {cooldown: {per: "everyone", seconds: 86_400}}],
  ] as const)("%s still counts what was called before", async (_, options) => {
    const before = await begin(options)
    await before.all(opens(1, 2))
    const {all, ran} = await begin({...options, after: before})
    await all(opens(3))
    const most = "host" in options ? [1, 2] : [1]
    expect(ran).toEqual(opens(...most))
    before.clock.set("2026-11-30T12:00:00Z")
    await all(opens(4))
    expect(ran).toEqual(opens(...most, 4))
  })

  test("shorter ones are forgotten, and leave no row", async () => {
    const options: Options = {host: {user: "1/59s"}, cooldown: {per: "user", seconds: 59}}
    const before = await begin(options)
    await before.all(opens(1))
    expect(await before.rows()).toEqual([])
    await (await begin({...options, after: before})).all(opens(2))
    expect(before.ran).toEqual(opens(1, 2))
  })

  test("a clock that was set back locks nobody out for longer than the limit's time", async () => {
    const options: Options = {cooldown: {per: "user", seconds: 3600}}
    const before = await begin(options)
    await before.all(opens(1))
    before.clock.set("2020-01-01T00:00:00Z")
    const {all, ran, clock} = await begin({...options, after: before})
    await all(opens(2))
    clock.set("2020-01-01T01:00:00Z")
    await all(opens(3))
    expect(ran).toEqual(opens(1, 3))
  })
})

test("the rows of a user go with the user, and others once their time is over", async () => {
  const {all, say, rows, database} = await begin({host: {user: "5/1h"}, cooldown: {per: "everyone", seconds: 60}})
  await all(opens(1))
  await say("/open 2", ofUser("bob"))
  expect((await rows()).toSorted()).toEqual(["", "ann", "bob"])
  const users = new UserData({
    database,
    dropFiles: async () => {},
    remains: async () => ({checkpoints: [], workItems: null, eventLog: "1d"}),
  })
  await users.forget({endpoint: "line", user: "ann"}, {dryRun: false, next: undefined})
  expect((await rows()).toSorted()).toEqual(["", "bob"])
  const retention = retentionOf(database)
  await retention.sweep(Date.parse("2026-11-29T12:10:00Z"))
  expect(await rows()).toEqual(["bob"])
  await retention.sweep(Date.parse("2026-11-29T12:12:00Z"))
  expect(await rows()).toEqual([])
})
