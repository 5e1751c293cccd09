import {join} from "node:path"
import {expect, test} from "vitest"
import {durationOf} from "../../../shared/duration.ts"
import {aDay, countOf} from "../../support/capacity/retention.ts"
import {memoryFolder, open} from "../../support/database/databases.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {defaults, eventLimits, RetainedYear} from "./retained-year.ts"

const run = faultRun("retained-year")
const load = {messages: run.rounds, jobRuns: 6, gaps: 2}
const days = 365

/** Full days in a retention age, plus the current day. */
const daysOf = (age: string) => durationOf(age) / aDay + 1

/** A message is received, handled and sent; a run starts and ends; so do a gap and the Host. */
const eventsADay = 3 * load.messages + 2 * load.jobRuns + load.gaps + 2

/**
 * The most rows that each table may hold at the end of a day with the default retention, and the bytes that a row of
 * this load takes with its index entries. The bytes are measured, plus a third. An inbox event includes its mark.
 */
const kept = [
  {table: "inbox", rows: Math.max(defaults.handled.least, load.messages * daysOf(defaults.handled.age)), size: 750},
  {table: "outbox", rows: load.messages * daysOf(defaults.sent.age), size: 600},
  {table: "inbox_keys", rows: load.messages * daysOf(defaults.duplicates.age), size: 100},
  {table: "job_runs", rows: load.jobRuns * daysOf(defaults.jobRuns.age), size: 400},
  {table: "events", rows: Math.min(eventLimits.events, eventsADay * (eventLimits.age / aDay + 1)), size: 300},
  {table: "endpoint_gaps", rows: load.gaps * daysOf(defaults.gaps.age), size: 200},
  {table: "svc_runs", rows: daysOf(defaults.runs.age), size: 300},
]

/** Plus half a megabyte for tables with few rows. */
const bound = kept.reduce((sum, {rows, size}) => sum + rows * size, 500_000)

test(`a year of ${load.messages} messages a day, with jobs, gaps and starts, stays below ${(bound / 1e6).toFixed(0)} MB`, async () => {
  tellHowToRepeat(run)
  const database = await open({dialect: "sqlite", file: join(memoryFolder(), "data.sqlite")})
  const year = new RetainedYear(database, load, Date.now())
  await year.start()
  const size = async () => {
    const [row] = await database.read("SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size")
    return Number(row?.size)
  }
  const history: number[] = []
  for (let day = 1; day <= days; day++) {
    await year.day()
    history.push(await size())
    for (const {table, rows} of kept) {
      expect({day, table, isBounded: (await countOf(database, table)) <= rows}).toEqual({day, table, isBounded: true})
    }
    expect(history.at(-1)).toBeLessThan(bound)
  }
  await year.stop()
  const dropped = await database.read("SELECT part, sum(rows) AS rows FROM retention_dropped GROUP BY part")
  process.stdout.write(
    `${((history.at(-1) ?? 0) / 1e6).toFixed(1)} MB after a year, ${((history[279] ?? 0) / 1e6).toFixed(1)} MB after 280 days, at most ${(bound / 1e6).toFixed(1)} MB; ` +
      `dropped: ${dropped.map(({part, rows}) => `${part} ${rows}`).join(", ")}\n`,
  )
  // Every received message is stored or was deleted, and the file stops growing long before the end.
  const rows = Object.fromEntries(dropped.map(({part, rows}) => [String(part), Number(rows)]))
  expect((rows.handled ?? 0) + (await countOf(database, "inbox"))).toBe(load.messages * days)
  expect((rows.sent ?? 0) + (await countOf(database, "outbox"))).toBe(load.messages * days)
  expect((rows.duplicates ?? 0) + (await countOf(database, "inbox_keys"))).toBe(rows.handled)
  expect((rows.jobRuns ?? 0) + (await countOf(database, "job_runs"))).toBe(load.jobRuns * days)
  expect(history.at(-1)).toBeLessThan((history[279] ?? 0) * 1.05)
}, 3_600_000)
