import {setTimeout} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {readMetricHistory} from "../../../server/metrics/history/read.ts"
import {Recorder, type Totals} from "../../../server/metrics/history/recorder.ts"
import {Uptimes} from "../../../server/metrics/history/uptimes.ts"
import type {Seen} from "../../../server/metrics/history/watch.ts"
import {engines, localDatabase, log, open} from "../../support/database/databases.ts"
import {startRow} from "../../support/database/insert.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const begin = Date.parse("2027-03-01T10:00:00Z")

const nothing: Totals = {
  ...{received: 0, handled: 0, failed: 0, sent: 0, unsent: 0, bytes: 0, memory: 0},
  ...{handlers: [], commits: []},
}

/** A Host whose minutes the test describes: its observations and counters at a given time. */
class Told {
  now = begin
  totals = nothing
  subjects: readonly string[] = []
  uptimes = new Uptimes(() => this.subjects)
  seen: Seen = {ran: 0, delay: 0, endpoints: {}, subjects: {}}
  readonly database: Pick<Database, "read" | "write">
  recorder: Recorder
  slowly: Promise<unknown> = Promise.resolve()
  readonly starting: Promise<void>

  constructor(database: Pick<Database, "read" | "write">) {
    this.database = database
    this.recorder = this.#make()
    this.starting = this.recorder.start()
  }

  restart(): Promise<void> {
    this.recorder = this.#make()
    return this.recorder.start()
  }

  #make(): Recorder {
    return new Recorder({
      database: this.database,
      log,
      totals: () => this.slowly.then(() => this.totals),
      watch: {start: () => {}, look: () => {}, stop: () => {}, take: () => this.seen},
      uptimes: this.uptimes,
      now: () => this.now,
    })
  }

  /** Ends the next minute, in which this number of messages was received. */
  async minute(received: number, seen: Partial<Seen> = {}): Promise<void> {
    await this.starting
    this.now += minute
    this.totals = {...this.totals, received: this.totals.received + received}
    this.seen = {ran: 60, delay: 0, endpoints: {}, subjects: {}, ...seen}
    await this.recorder.record()
  }

  read(from: number, to = this.now) {
    return readMetricHistory(this.database, {from, to, now: this.now})
  }
}

describe.each(engines)("the metric history on $name", ({make}) => {
  test("counts a message that comes as soon as the Host has started", async () => {
    const host = new Told(await open(await make()))
    host.slowly = setTimeout(20)
    await host.restart()
    await host.minute(1)
    expect((await host.read(begin)).received).toEqual([1])
  })

  test("shows each minute of the last hour, with a hole when no Host ran", async () => {
    const host = new Told(await open(await make()))
    await host.minute(3)
    await host.minute(5, {delay: 12, endpoints: {irc: {online: 45, reconnecting: 15}}})
    host.now += 3 * minute
    await host.minute(0)
    // The history has no row of a run of seconds.
    const starts = [2000, 3 * minute + 1000, 3 * minute + 9000].map(passed => begin + passed)
    await host.database.write(starts.map(startRow))
    const {ran, received, delay, endpoints, seconds, recordedSince, ...view} = await host.read(begin)
    expect(recordedSince).toBe(new Date(begin).toISOString())
    expect(seconds).toBe(60)
    expect(received).toEqual([3, 5, null, null, null, 0])
    expect(ran).toEqual([1, 1, null, null, null, 1])
    expect(delay[1]).toBe(12)
    expect(view.starts).toEqual([1, 0, 0, 2, 0, 0])
    expect(view.newestStarts).toEqual(starts.map(at => new Date(at).toISOString()))
    expect(endpoints).toEqual([
      {
        name: "irc",
        online: [null, 0.75, null, null, null, null],
        otherwise: [null, "reconnecting", null, null, null, null],
      },
    ])
  })

  test("joins two runs in the same minute", async () => {
    const host = new Told(await open(await make()))
    await host.starting
    host.now += 20_000
    host.totals = {...nothing, received: 7}
    host.seen = {ran: 20, delay: 3, endpoints: {}, subjects: {}}
    await host.recorder.stop()
    await host.restart()
    host.now += 40_000
    host.totals = {...nothing, received: 11}
    host.seen = {ran: 40, delay: 2, endpoints: {}, subjects: {}}
    await host.recorder.record()
    const {received, ran, delay} = await host.read(begin)
    expect(received).toEqual([11])
    expect(ran).toEqual([1])
    expect(delay).toEqual([3])
  })

  test("keeps minutes for two days and hours for ninety, with equal sums", async () => {
    const host = new Told(await open(await make()))
    for (let n = 0; n < 60; n++) await host.minute(2)
    const hours = await host.read(host.now - 3 * day)
    expect(hours.seconds).toBe(3600)
    expect(hours.received.at(-1)).toBe(120)
    host.now += 2 * day
    await host.minute(1)
    const rows = await host.database.read("SELECT span, count(*) AS n FROM metric_history GROUP BY span ORDER BY span")
    expect(rows.map(({span, n}) => [Number(span), Number(n)])).toEqual([
      [minute, 1],
      [hour, 2],
    ])
    host.now += 90 * day
    await host.minute(1)
    const [left] = await host.database.read("SELECT count(*) AS n FROM metric_history")
    expect(Number(left?.n)).toBe(2)
  })

  test("has at most 240 intervals for any range", async () => {
    const host = new Told(await open(await make()))
    await host.minute(1)
    for (const length of [10 * minute, hour, 5 * hour, day, 7 * day, 30 * day, 90 * day, 3650 * day]) {
      const {received, seconds} = await host.read(host.now - length)
      expect(received.length, `${length}`).toBeLessThanOrEqual(241)
      expect(received.length * seconds * 1000).toBeGreaterThanOrEqual(length)
      expect(received.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(1)
    }
  })
})

test("counts that a failing database missed are in the next row, and their minute is a hole", async () => {
  const database = await open(await localDatabase())
  let isFailing = false
  const host = new Told({
    read: (sql, args) => database.read(sql, args),
    write: statements => (isFailing ? Promise.reject(new Error("disk full")) : database.write(statements)),
  })
  await host.minute(1)
  isFailing = true
  await host.minute(2)
  isFailing = false
  await host.minute(4)
  expect((await host.read(begin)).received).toEqual([1, null, 6])
})

test("uptimes come from memory, and time without a Host counts as down", async () => {
  const database = await open(await localDatabase())
  let reads = 0
  const counting = {
    write: database.write.bind(database),
    read: (...asked: Parameters<Database["read"]>) => {
      reads++
      return database.read(...asked)
    },
  }
  const host = new Told(counting)
  host.subjects = ["bot", "endpoint/irc~libera"]
  const up = {bot: {up: 60}, "endpoint/irc~libera": {up: 60}}
  for (let n = 0; n < 90; n++) await host.minute(0, {subjects: up})
  expect(host.uptimes.of("bot")).toEqual({"24h": 1, "7d": 1, "30d": 1, "90d": 1})
  // Half an hour without a Host.
  host.now += 30 * minute
  host.uptimes = new Uptimes(() => host.subjects)
  await host.restart()
  for (let n = 0; n < 120; n++)
    await host.minute(0, {subjects: {...up, "endpoint/irc~libera": n < 60 ? {up: 60} : {down: 60}}})
  expect(host.uptimes.of("bot")["24h"]).toBeCloseTo(210 / 240, 3)
  expect(host.uptimes.of("endpoint/irc~libera")["7d"]).toBeCloseTo(150 / 240, 3)
  expect(host.uptimes.of("plugin/none")["24h"]).toBeNull()
  const before = reads
  for (let n = 0; n < 1000; n++) host.uptimes.of("bot")
  expect(reads).toBe(before)
})

test("an uptime starts with its label, and includes older records of endpoints and the bot", async () => {
  const host = new Told(await open(await localDatabase()))
  for (let n = 0; n < 120; n++) await host.minute(0, {endpoints: {"irc~libera": n < 30 ? {online: 60} : {failed: 60}}})
  host.subjects = ["bot", "endpoint/irc~libera", "plugin/games"]
  const up = {bot: {up: 60}, "endpoint/irc~libera": {up: 60}, "plugin/games": {up: 60}}
  for (let n = 0; n < 60; n++) await host.minute(0, {subjects: up})
  expect(host.uptimes.of("bot")["24h"]).toBe(1)
  expect(host.uptimes.of("endpoint/irc~libera")["24h"]).toBeCloseTo(90 / 180, 2)
  expect(host.uptimes.of("plugin/games")["24h"]).toBe(1)
  // Two days later, the last 24 hours contain none of these hours, and no Host ran.
  host.now += 2 * day
  await host.minute(0, {subjects: up})
  expect(host.uptimes.of("bot")["24h"]).toBeLessThan(0.01)
  expect(host.uptimes.of("bot")["7d"]).toBeGreaterThan(0.05)
})
