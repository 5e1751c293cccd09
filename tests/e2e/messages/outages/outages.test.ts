import {expect, onTestFinished, test, vi} from "vitest"
import {faultRun, tellHowToRepeat} from "../../../support/machine/fault-run.ts"
import {RoundClock} from "./bot.ts"
import {cases, makeTemplate, Round} from "./round.ts"

const run = faultRun("outages")

test(`${run.rounds} outages: nothing runs or arrives past its limit, is lost without a state, or is done twice`, async () => {
  tellHowToRepeat(run)
  let clock = new RoundClock()
  const now = vi.spyOn(Date, "now").mockImplementation(() => clock.now())
  onTestFinished(() => now.mockRestore())
  const template = await makeTemplate(clock)
  const tally: Record<string, number> = {}
  const seen = new Set<string>()
  for (let seed = run.seed; seed < run.seed + run.rounds; seed++) {
    clock = new RoundClock()
    const round = new Round(seed, template, clock)
    for (const [what, count] of Object.entries(await round.run())) tally[what] = (tally[what] ?? 0) + count
    for (const each of round.book.cases) seen.add(each)
    expect(round.book.faults.join("\n"), `bun run faults outages --rounds 1 --seed ${seed}`).toBe("")
  }
  process.stdout.write(`outages: ${JSON.stringify(tally)}\n`)
  // A case that never occurred proves nothing.
  if (run.rounds >= 20) expect(cases.filter(each => !seen.has(each))).toEqual([])
}, 3_600_000)
