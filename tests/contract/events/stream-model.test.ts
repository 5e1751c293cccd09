import {expect, test} from "vitest"
import {faultRun} from "../../support/machine/fault-run.ts"
import {runEpisodes} from "./model.ts"

test("clients get every event once and in order, or a gap, through kills, eviction and restores", async () => {
  const {rounds, seed} = faultRun("stream-model")
  const tally = await runEpisodes(seed, rounds)
  expect(tally.episodes).toBe(rounds)
  process.stdout.write(`seed ${seed}: ${JSON.stringify(tally)}\n`)
  const {gaps, ...often} = tally
  // A case that never occurred proves nothing.
  for (const [what, count] of Object.entries({...often, evicted: gaps.evicted, epoch_changed: gaps.epoch_changed}))
    expect(count, what).toBeGreaterThan(20)
}, 3_600_000)
