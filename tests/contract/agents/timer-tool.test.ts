import {expect, test} from "vitest"
import type {ToolUse} from "../../../server/agents/runs/tool.ts"
import {timerTool} from "../../../server/agents/tools/timer.ts"
import {Timers} from "../../../server/scheduler/timers/timers.ts"
import {callTool, runOf, useOf} from "../../support/agents/tool-use.ts"
import {engines, localDatabase, log, open} from "../../support/database/databases.ts"
import {HandClock} from "../../support/scheduler/hand-clock.ts"

const kind = {id: "root/agents/timer/wake", missed: "once", problemOf: () => undefined} as const

const openTool = async (place = localDatabase()) => {
  const database = await open(await place)
  const timers = new Timers({
    database,
    log,
    clock: new HandClock("2026-05-01T09:00:00Z"),
    find: (plugin, name) => (plugin === "agents" && name === "wake" ? kind : undefined),
    declared: () => [["agents", "wake"]],
    idle: async () => {},
    isPaused: () => false,
    fire: async () => {},
  })
  const tool = timerTool({timers, database})
  const set = async (args: object, own: Partial<ToolUse> = {}) => {
    const {value, statements = []} = await callTool(tool, args, own)
    await database.write(statements)
    return value
  }
  return {database, tool, set}
}

test.each(engines)("a timer wakes the same agent in its conversation, for its user, on $name", async ({make}) => {
  const {database, set} = await openTool(make())
  expect(await set({in_minutes: 90, note: "water the plants"})).toMatch(/ 2026-05-01T10:30:00\.000Z\.$/)
  const [row] = await database.read("SELECT * FROM timers")
  expect(row).toMatchObject({plugin: "agents", name: "wake", endpoint: "line", channel: "#team", user: "ada"})
  expect(row?.due_at).toBe(Date.parse("2026-05-01T10:30:00Z"))
  expect(JSON.parse(String(row?.data))).toEqual({agent: "helper", note: "water the plants"})
  expect(JSON.parse(String(row?.place))).toEqual({channel: {id: "#team", type: 0}, user: {id: "ada", name: "Ada"}})
})

test("a repeated call sets one timer, also in a run without a conversation", async () => {
  const {database, set} = await openTool()
  await set({at: "2026-05-01T12:00:00+02:00", note: "lunch"})
  await set({at: "2026-05-01T12:00:00+02:00", note: "lunch"})
  const nowhere = runOf({endpoint: undefined, channel: undefined, user: undefined, place: {}})
  await set({in_minutes: 1, note: "look again"}, {run: nowhere, key: "run-2/1"})
  expect(await database.read("SELECT endpoint, channel, due_at FROM timers ORDER BY seq")).toEqual([
    {endpoint: "line", channel: "#team", due_at: Date.parse("2026-05-01T10:00:00Z")},
    {endpoint: null, channel: null, due_at: Date.parse("2026-05-01T09:01:00Z")},
  ])
})

test("at most ten timers wait for an agent in one conversation", async () => {
  const {set} = await openTool()
  for (let n = 1; n <= 10; n++) await set({in_minutes: n, note: "again"}, {key: `run-1/${n}`})
  await expect(set({in_minutes: 11, note: "again"}, {key: "run-1/11"})).rejects.toThrow(/\b10 timers\b/)
  await set({in_minutes: 11, note: "again"}, {key: "run-2/1", run: runOf({agent: "other"})})
  const elsewhere = runOf({channel: "#news", place: {channel: {id: "#news", type: 0}}})
  await set({in_minutes: 11, note: "again"}, {key: "run-3/1", run: elsewhere})
})

test.each([
  [{note: "x"}, "set either in_minutes or at"],
  [{in_minutes: 5, at: "2026-05-01T10:00:00Z", note: "x"}, "set either in_minutes or at"],
  [{in_minutes: 0, note: "x"}, "in_minutes: expected a number >= 1"],
  [{in_minutes: 366 * 24 * 60 + 1, note: "x"}, "in_minutes: expected a number <= 527040"],
  [{at: "tomorrow", note: "x"}, "at: expected a date and time"],
  [
    {at: "2026-05-01T09:00:30Z", note: "x"},
    "between one minute and 366 days from now; it is now 2026-05-01T09:00:00.000Z",
  ],
  [{at: "2027-05-03T09:00:00Z", note: "x"}, "between one minute and 366 days from now"],
  [{in_minutes: 5, note: " "}, "note: expected text"],
])("an invalid time or note is refused: %j", async (args, why) => {
  const {set} = await openTool()
  await expect(set(args)).rejects.toThrow(why)
})

test("a person sees the time and the whole note", async () => {
  const {tool} = await openTool()
  const {run} = useOf({})
  expect(tool.describe?.({in_minutes: 5, note: "one\ntwo"}, run)).toMatch(/\bhelper 5 minutes\b.*\n> one\n> two$/)
  expect(tool.describe?.({at: "2026-05-01T10:00:00Z", note: "x"}, run)).toContain("at 2026-05-01T10:00:00Z")
})

test("a timer of a run without a user keeps the run's permission", async () => {
  const {database, set} = await openTool()
  const run = runOf({user: undefined, place: {}, permission: "trusted"})
  await set({in_minutes: 5, note: "x"}, {run})
  const [row] = await database.read("SELECT data FROM timers")
  expect(JSON.parse(String(row?.data))).toEqual({agent: "helper", note: "x", permission: "trusted"})
})
