import type {TestRuntime} from "../../support/host/runtimes.ts"
import {scriptCommand} from "../measure/compiled.ts"
import {type Figure, short} from "../measure/figure.ts"
import {runScript} from "../measure/process.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row} from "../row.ts"

/** The highest number of rounds. */
const mostRounds = 3

const measureOn = async (runtime: TestRuntime, rounds: number, records: number): Promise<readonly Figure[]> => {
  const command = await scriptCommand(runtime, "tests/bench/workroom/work/journal-open.ts")
  const samples = await runScript<Readonly<Record<string, readonly number[]>>>([
    ...command,
    String(rounds),
    String(records),
  ])
  return Object.entries(samples).map(([name, seconds]) => ({
    name: `${name}, ${short(records)} records on ${runtime.name}`,
    unit: "s",
    value: spreadOf(seconds),
    detail: `${short(records / spreadOf(seconds).median)} records/s`,
  }))
}

export const journalOpen: Row = {
  name: "journal-open",
  summary: "opening and verifying a Journal of the workroom, in both stores (--records sets the number of records)",
  measure: onEachRuntime((runtime, {pairs, records}) => measureOn(runtime, Math.min(pairs, mostRounds), records)),
}
