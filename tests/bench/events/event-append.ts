import type {TestRuntime} from "../../support/host/runtimes.ts"
import {scriptCommand} from "../measure/compiled.ts"
import {atLeast, type Figure, ratioOf} from "../measure/figure.ts"
import {pairsOf} from "../measure/pairs.ts"
import {runScript} from "../measure/process.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The number of events per commit. */
const groups = [1, 10, 100, 1000] as const

/** The duration of a sample of each side, in seconds. */
const burst = 0.7

const measureGroup = async (runtime: TestRuntime, group: number, pairs: number): Promise<Figure> => {
  const command = await scriptCommand(runtime, "tests/bench/events/work/append-events.ts")
  const samples: {own: number; bare: number}[] = []
  for (let pair = 0; pair < pairs; pair++) samples.push(await runScript([...command, String(group), String(burst)]))
  const measured = pairsOf(
    samples.map(({own}) => own),
    samples.map(({bare}) => bare),
  )
  return ratioOf(
    `groups of ${group}, on ${runtime.name}`,
    measured,
    "the bare driver",
    "events/s",
    group >= 100 ? atLeast(0.5) : undefined,
  )
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = []
  for (const group of groups) figures.push(await measureGroup(runtime, group, pairs))
  return figures
}

export const eventAppend: Row = {
  name: "event-append",
  summary: "events appended durably by the event log, against one statement a group of the bare driver",
  measure: onEachRuntime(measureOn),
}
