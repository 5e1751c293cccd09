import {expect, test} from "vitest"
import {runEpisodes} from "./model.ts"

test("through restarts, kills, eviction, restores and slow reading, a client is given everything once and in order, or told what it has missed", async () => {
  const tally = await runEpisodes(20_261_121, 2000)
  expect(tally.episodes).toBe(2000)
  const {cuts, gaps, ...often} = tally
  // What is not met proves nothing.
  for (const [what, count] of Object.entries({...often, evicted: gaps.evicted, epoch_changed: gaps.epoch_changed}))
    expect(count, what).toBeGreaterThan(20)
  expect(cuts).toBeGreaterThan(0)
}, 600_000)
