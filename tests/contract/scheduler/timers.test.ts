import {describe, expect, onTestFinished, test} from "vitest"
import type {Database, Location, Statement} from "../../../server/database/database.ts"
import {assertDue, listing, selectDue, selectNext} from "../../../server/scheduler/timers/rows.ts"
import {type TimerKind, Timers} from "../../../server/scheduler/timers/timers.ts"
import {toJson} from "../../../shared/json.ts"
import type {TimerPlace, When} from "../../../shared/sdk/session/timer.ts"
import {engines, localDatabase, log, open, readLines, until} from "../../support/database/databases.ts"
import {hearing, startInbox} from "../../support/messages/line-inbox.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"

const start = "2026-03-28T12:00:00Z"
const minute = 60_000

/** Timers of a plugin `bot`, on an inbox whose handler records each firing: its due time and its data. */
const openTimers = async (place: Location) => {
  const database = await open(place)
  const clock = new HandClock(start, 24 * 60 * minute)
  const fired: string[] = []
  const limitOf = (_: string, handler: string) => (handler === "root/bot/timer/soon" ? 5 * minute : undefined)
  const run = hearing(({event}) => {
    const {data} = event._data as {data: unknown}
    fired.push(`${new Date(event.timestamp).toISOString().slice(5, 16)} ${data}`)
  })
  const {inbox} = await startInbox(database, {ages: {limitOf, noticeOf: async () => undefined}, run}, {clock})
  let paused = false
  const kinds = new Map<string, TimerKind>([
    ["bot/remind", {id: "root/bot/timer/remind", missed: "once", problemOf: () => undefined}],
    ["bot/soon", {id: "root/bot/timer/soon", missed: "once", problemOf: () => undefined}],
    ["bot/poll", {id: "root/bot/timer/poll", missed: "skip", problemOf: () => undefined}],
    [
      "bot/strict",
      {
        id: "root/bot/timer/strict",
        missed: "once",
        problemOf: data => (data === "good" ? undefined : "data: it is not good"),
      },
    ],
  ])
  const timers = new Timers({
    database,
    log,
    clock,
    find: (plugin, name) => kinds.get(`${plugin}/${name}`),
    declared: () => [...kinds.keys()].map(name => name.split("/") as [string, string]),
    idle: async () => {},
    isPaused: () => paused,
    fire: (...args) => inbox.fire(...args),
  })
  timers.start()
  onTestFinished(async () => {
    await timers.stop()
    await inbox.drain()
  })
  const set = async (name: string, when: When, data: unknown, key?: string) => {
    const place = {endpoint: "line", channel: {id: "team", type: 0}}
    const setting = timers.prepare("bot", name, when, data, place, key === undefined ? {} : {key})
    await database.write(setting.statements)
    setting.stored()
    return setting.id
  }
  /** Lets time pass; each wake fires all due timers. */
  const passTo = async (to: string) => {
    const settle = async () => {
      // A remote database answers with its own delay.
      await until("the clock to rest", () => isResting(database, clock, paused))
    }
    await clock.passTo(to, settle)
    await settle()
  }
  const rows = () => readLines(database, "SELECT name, state, reason FROM timers ORDER BY seq")
  return {
    database,
    timers,
    fired,
    kinds,
    clock,
    set,
    passTo,
    rows,
    pause: (to: boolean) => {
      paused = to
      timers.consider()
    },
  }
}

const isResting = async (database: Database, clock: HandClock, paused: boolean): Promise<boolean> => {
  const open = "SELECT 1 AS one FROM inbox_marks WHERE state IN ('pending', 'running')"
  if ((await database.read(open)).length > 0) return false
  const [next] = await database.read(selectNext)
  return paused || next === undefined || Number(next.at) > clock.now()
}

describe.each(engines)("a timer, on $name,", ({make}) => {
  test("fires once at its time, in the order of time", async () => {
    const {set, passTo, fired, rows} = await openTimers(await make())
    await set("remind", {at: new Date("2026-03-28T12:03:00Z")}, "at")
    await set("remind", {in: 2 * minute}, "in")
    await passTo("2026-03-28T12:01:59Z")
    expect(fired).toEqual([])
    await passTo("2026-03-28T12:10:00Z")
    expect(fired).toEqual(["03-28T12:02 in", "03-28T12:03 at"])
    expect(await rows()).toEqual([])
  })

  test("fires at once when its time is past", async () => {
    const {set, passTo, fired} = await openTimers(await make())
    await set("remind", {at: Date.parse(start) - minute}, "late")
    await passTo(start)
    expect(fired).toEqual(["03-28T11:59 late"])
  })

  test("recurs by its period, or by its pattern in its timezone, also across clock changes", async () => {
    const {set, passTo, fired} = await openTimers(await make())
    await set("remind", {every: 600 * minute}, "every")
    await set("remind", {cron: "30 9 * * *", timezone: "Europe/Berlin"}, "cron")
    await passTo("2026-03-29T09:00:00Z")
    // Berlin's clocks go forward that night, so half past nine comes an hour earlier.
    expect(fired).toEqual(["03-28T22:00 every", "03-29T07:30 cron", "03-29T08:00 every"])
  })

  test("is listed by its conversation, the soonest first, and cleared as listed", async () => {
    const {database, timers} = await openTimers(await make())
    const set = async (name: string, minutes: number, data: unknown, user: string, key?: string) => {
      const place = {endpoint: "line", channel: {id: "team", type: 0}, user: {id: user}}
      const options = key === undefined ? {} : {key}
      const setting = timers.prepare("bot", name, {every: minutes * minute}, data, place, options)
      await database.write(setting.statements)
      return setting.id
    }
    const third = await set("remind", 3, "third", "ann")
    await set("remind", 1, "first", "ann", "k")
    await set("remind", 2, "second", "bob")
    await set("poll", 1, "other", "ann")
    const due = Date.parse(start)
    const shown = (data: string, key: string | undefined, id: string, in_: number) => {
      return {id, key, due: due + in_ * minute, repeats: true, data, state: "waiting"}
    }
    expect(await timers.list("bot", "remind", {endpoint: "line", user: "ann"})).toEqual([
      shown("first", "k", expect.any(String), 1),
      shown("third", undefined, third, 3),
    ])
    const dataOf = async (of?: TimerPlace) => (await timers.list("bot", "remind", of)).map(({data}) => data)
    expect(await dataOf({endpoint: "line", channel: "team"})).toEqual(["first", "second", "third"])
    expect(await dataOf({endpoint: "other"})).toEqual([])
    await database.write([timers.clearing("bot", {id: third}), timers.clearing("other", "k")])
    expect(await dataOf()).toEqual(["first", "second"])
    await expect(timers.list("bot", "gone")).rejects.toMatchObject({code: "timer_unknown"})
    const user = {endpoint: "line", user: "ann"}
    const plan = `EXPLAIN QUERY PLAN ${listing("bot", "remind", user).sql}`
    expect(toJson(await database.read(plan, listing("bot", "remind", user).args))).toContain("timers_of")
  })

  test("is listed only while its data fits", async () => {
    const {timers, set, kinds} = await openTimers(await make())
    await set("strict", {in: minute}, "good")
    expect(await timers.list("bot", "strict")).toHaveLength(1)
    kinds.set("bot/strict", {id: "root/bot/timer/strict", missed: "once", problemOf: () => "it is not good"})
    expect(await timers.list("bot", "strict")).toEqual([])
  })

  test("is replaced under its key, and cleared by it", async () => {
    const {database, timers, set, passTo, fired, rows} = await openTimers(await make())
    await set("remind", {in: minute}, "first", "k")
    await set("remind", {in: 2 * minute}, "second", "k")
    await set("remind", {in: 3 * minute}, "third", "other")
    expect(await rows()).toEqual(["remind waiting", "remind waiting"])
    await database.write([timers.clearing("bot", "other")])
    await passTo("2026-03-28T12:10:00Z")
    expect(fired).toEqual(["03-28T12:02 second"])
  })

  test("fires once or is skipped when missed, as its plugin chose; a pause of ingress holds all", async () => {
    const {set, passTo, fired, pause, rows} = await openTimers(await make())
    pause(true)
    await set("remind", {every: 10 * minute}, "once")
    await set("poll", {every: 10 * minute}, "skip")
    await set("poll", {in: minute}, "gone")
    await passTo("2026-03-28T12:35:00Z")
    expect(fired).toEqual([])
    pause(false)
    await passTo("2026-03-28T12:45:00Z")
    expect(fired).toEqual(["03-28T12:10 once", "03-28T12:40 once", "03-28T12:40 skip"])
    expect(await rows()).toEqual(["remind waiting", "poll waiting"])
  })

  test("expires when it is later than its plugin allows, and continues with its next time", async () => {
    const {database, set, passTo, fired, pause, rows} = await openTimers(await make())
    pause(true)
    await set("soon", {every: 10 * minute}, "late")
    await set("soon", {in: 8 * minute}, "in time")
    await passTo("2026-03-28T12:12:00Z")
    pause(false)
    await passTo("2026-03-28T12:12:01Z")
    expect(fired).toEqual(["03-28T12:08 in time", "03-28T12:10 late"])
    pause(true)
    await passTo("2026-03-28T12:26:00Z")
    pause(false)
    await passTo("2026-03-28T12:30:00Z")
    expect(fired.slice(2)).toEqual(["03-28T12:30 late"])
    expect(await rows()).toEqual(["soon waiting"])
    expect(
      await database.read(
        "SELECT event ->> 'timestamp' AS at, error FROM inbox JOIN inbox_marks USING (seq) WHERE state = 'expired'",
      ),
    ).toEqual([{at: Date.parse("2026-03-28T12:20:00Z"), error: expect.stringMatching(/^\d+ s old$/)}])
    expect(await database.read("SELECT type FROM events WHERE type = 'message.expired'")).toHaveLength(1)
  })

  test("without a handler, or with data that no longer fits, waits for a generation that accepts it", async () => {
    const {set, passTo, fired, kinds, rows, timers} = await openTimers(await make())
    await set("remind", {in: minute}, "a")
    await set("strict", {in: minute}, "good")
    const [remind, strict] = [kinds.get("bot/remind"), kinds.get("bot/strict")]
    kinds.delete("bot/remind")
    if (strict !== undefined) kinds.set("bot/strict", {...strict, problemOf: () => "data: it is not good"})
    await passTo("2026-03-28T12:05:00Z")
    expect(fired).toEqual([])
    expect(await rows()).toEqual(["remind failed handler_unknown", "strict failed data_invalid: data: it is not good"])
    if (remind !== undefined) kinds.set("bot/remind", remind)
    if (strict !== undefined) kinds.set("bot/strict", strict)
    await timers.generationChanged()
    await passTo("2026-03-28T12:05:00Z")
    expect(fired).toEqual(["03-28T12:01 a", "03-28T12:01 good"])
    expect(await rows()).toEqual([])
  })

  test("is refused by name when its time, data or key is invalid", async () => {
    const {set, rows} = await openTimers(await make())
    const refusals: readonly [string, When, unknown, string?][] = [
      ["nothing", {in: 1}, "x"],
      ["strict", {in: 1}, "bad"],
      ["remind", {} as When, "x"],
      ["remind", {at: new Date("no date")}, "x"],
      ["remind", {every: 10}, "x"],
      ["remind", {cron: "61 * * * *", timezone: "UTC"}, "x"],
      ["remind", {cron: "0 9 * * *", timezone: "Mars/Base"}, "x"],
      ["remind", {in: 1}, "x".repeat(70_000)],
      ["remind", {in: 1}, "x", "k".repeat(201)],
    ]
    const codes = await Promise.all(refusals.map(each => set(...each).catch(error => error.code)))
    expect(codes).toEqual(["timer_unknown", ...Array(8).fill("timer_invalid")])
    expect(await rows()).toEqual([])
  })

  test("fires once, also when 1,200 are due together", async () => {
    const {database, timers, fired, clock} = await openTimers(await make())
    const settings = Array.from({length: 1200}, (_, n) =>
      timers.prepare("bot", "remind", {in: minute}, n, {endpoint: "line", channel: {id: `c${n % 50}`, type: 0}}),
    )
    await database.write(settings.flatMap(({statements}) => statements))
    settings[0]?.stored()
    await clock.passTo("2026-03-28T12:02:00Z", async () => {})
    await until("all to fire", () => fired.length >= 1200)
    expect(new Set(fired).size).toBe(1200)
    expect(fired.length).toBe(1200)
  })
})

test("finding the next due timer takes one index step, however many wait", async () => {
  const {database} = await openTimers(await localDatabase())
  const stepsOf = async (sql: string, args: NonNullable<Statement["args"]> = []) =>
    (await database.read(`EXPLAIN QUERY PLAN ${sql}`, args)).map(({detail}) => detail)
  expect(await stepsOf(selectNext)).toEqual(["SCAN timers USING COVERING INDEX timers_due"])
  expect(await stepsOf(selectDue, [0])).toEqual(["SEARCH timers USING INDEX timers_due (due_at<?)"])
  const {sql, args = []} = assertDue([{row: {id: "a", due_at: 1}, to: {is: "over"}}])
  expect(await stepsOf(sql, args)).toContain("SEARCH timers USING INDEX sqlite_autoindex_timers_1 (id=?)")
})
