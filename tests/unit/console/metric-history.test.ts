import {expect, test} from "vitest"
import {moved, rangeOf, ranShare, segmentsOf} from "../../../server/console/web/host/metric-history.ts"
import {missedIn} from "../../../server/console/web/host/seen.ts"
import {timelineOf} from "../../../server/console/web/host/timeline.ts"
import type {MetricHistoryView} from "../../../shared/api/metrics/history.ts"

const minute = 60_000
const begin = Date.parse("2026-03-01T12:00:00Z")
const at = (minutes: number) => new Date(begin + minutes * minute).toISOString()

const none = [null, null, null, null]

/** Four minutes; the third one has no record. */
const view: MetricHistoryView = {
  from: at(0),
  seconds: 60,
  recordedSince: at(0),
  ran: [1, 1, null, 0.5],
  starts: [1, 0, 0, 1],
  newestStarts: [at(0.5), at(3.2)],
  received: [5, 5, null, 0],
  handled: [5, 5, null, 0],
  failed: [0, 2, null, 0],
  sent: [5, 4, null, 0],
  unsent: [0, 1, null, 0],
  handlerMedian: none,
  handlerSlow: none,
  commitSlow: none,
  delay: none,
  bytes: none,
  memory: none,
  endpoints: [
    {name: "irc~libera", online: [1, 0.25, null, 0], otherwise: [null, "reconnecting", null, "failed"]},
    {name: "sandbox", online: [1, 1, null, 1], otherwise: [null, null, null, null]},
  ],
}

test("a range is an offered one, or two times from the address; an invalid one becomes the default", () => {
  const now = begin + 24 * 60 * minute
  expect(rangeOf(now)).toEqual({from: begin, to: now})
  expect(rangeOf(now, "1h")).toEqual({from: now - 60 * minute, to: now})
  expect(rangeOf(now, at(0), at(30))).toEqual({from: begin, to: begin + 30 * minute})
  expect(rangeOf(now, at(30), at(0))).toEqual({from: begin, to: now})
  expect(rangeOf(now, "__proto__", "2")).toEqual({from: begin, to: now})
})

test("a range moves and stretches, never beyond now and never below ten minutes", () => {
  const range = {from: begin, to: begin + 60 * minute}
  const now = begin + 70 * minute
  expect(moved(range, now, {by: -0.5})).toEqual({from: begin - 30 * minute, to: begin + 30 * minute})
  expect(moved(range, now, {by: 0.5})).toEqual({from: begin + 10 * minute, to: now})
  expect(moved(range, now, {times: 0.5})).toEqual({from: begin + 15 * minute, to: begin + 45 * minute})
  expect(
    moved({from: begin, to: begin + minute}, now, {}).to - moved({from: begin, to: begin + minute}, now, {}).from,
  ).toBe(10 * minute)
})

test("time without a Host counts as down, except before the first record", () => {
  expect(ranShare(view, begin + 4 * minute)).toBe(0.625)
  expect(ranShare({...view, recordedSince: at(1)}, begin + 4 * minute)).toBeCloseTo(2.5 / 3)
  // The end cuts the last interval short.
  expect(ranShare(view, begin + 3.5 * minute)).toBeCloseTo(2.25 / 3.5)
  expect(ranShare({...view, recordedSince: null}, begin + 4 * minute)).toBeUndefined()
})

test("missed messages are shown as numbers, and not at all if there were none", () => {
  const range = {from: begin, to: begin + 4 * minute}
  expect(
    missedIn(range, view, [
      {endpoint: "irc~libera", from: at(-5), to: at(1)},
      {endpoint: "irc~libera", from: at(3), to: null},
      {endpoint: "irc~libera", from: at(-9), to: at(-8)},
      {endpoint: "mail", from: at(1), to: at(2)},
    ]),
  ).toEqual({
    starts: 2,
    down: 0,
    failed: 2,
    unsent: 1,
    gaps: [
      {name: "irc~libera", count: 2, length: 120},
      {name: "mail", count: 1, length: 60},
    ],
    away: [{name: "irc~libera", length: 105}],
  })
  const quiet = {...view, starts: [0], failed: [0], unsent: [0], endpoints: [], ran: [1, 1, 1, 1]}
  expect(missedIn(range, quiet, [])).toBeUndefined()
  const down = {...quiet, ran: [1, null, null, null]}
  expect(missedIn(range, down, [])?.down).toBe(180)
})

test("an endpoint's bar uses the metric history beyond the reach of events", () => {
  const endpoint = {name: "irc~libera", state: "online", since: at(4)} as const
  const now = begin + 5 * minute
  const segments = timelineOf(endpoint, [], [], begin - minute, now, segmentsOf(view, "irc~libera"))
  expect(segments.map(({state, from}) => [state, (from - begin) / minute])).toEqual([
    ["unknown", -1],
    ["online", 0],
    ["reconnecting", 1],
    ["unknown", 2],
    ["failed", 3],
    ["online", 4],
  ])
})
