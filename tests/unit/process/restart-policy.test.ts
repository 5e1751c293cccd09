import {expect, test} from "vitest"
import {decide} from "../../../server/process/daemon/restart-policy.ts"
import {startPatience} from "../../../shared/start-limit.ts"

const crash = {code: 1, signal: null}

test.each([51, 75])("restarts the Host at once when it ends with %i", code => {
  expect(decide({code, signal: null}, [0], 60_000)).toMatchObject({is: "again", after: 0})
})

test("waits longer after each crash, with five starts well within 120 s, and resets after 120 s", () => {
  const pauses = [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]].map(starts => decide(crash, starts, 10))
  expect(pauses).toMatchObject([500, 1000, 2000, 4000].map(after => ({is: "again", after})))
  expect(decide(crash, [0, 1, 2, 130_000], 130_001)).toMatchObject({is: "again", after: 500})
})

test.each([
  ["a crash", crash],
  ["an exit that nobody requested", {code: 70, signal: null}],
  ["a kill", {code: null, signal: "SIGKILL"}],
  ["51", {code: 51, signal: null}],
  ["75", {code: 75, signal: null}],
] as const)("makes no sixth start in 120 s, after %s", (_, end) => {
  expect(decide(end, [0, 1, 2, 3, 4], 5)).toMatchObject({
    is: "ended",
    code: 1,
    why: expect.stringContaining("5 starts in 120 s"),
  })
  expect(decide(end, [0, 1, 2, 3, 4], 121_000)).toMatchObject({is: "again"})
})

test("never gives up on a Host that waits its full time in each start and then ends with 1", () => {
  const starts: number[] = []
  for (let now = 0, n = 0; n < 50; n++) {
    starts.push(now)
    const next = decide(crash, starts, now + startPatience)
    if (next.is === "ended") throw new Error(`${next.why}, at start ${n}`)
    now += startPatience + next.after
  }
})

test.each([
  {code: 0, signal: null},
  {code: 143, signal: null},
  {code: 130, signal: null},
  {code: null, signal: "SIGTERM"},
  {code: null, signal: "SIGINT"},
] as const)("does not restart a Host that somebody stopped: %o", end => {
  expect(decide(end, [0], 10)).toMatchObject({is: "ended", code: 0})
})
