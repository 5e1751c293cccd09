import type {TestRuntime} from "../../support/host/runtimes.ts"
import {scriptCommand} from "../measure/compiled.ts"
import {atLeast, type Figure, sides} from "../measure/figure.ts"
import {pairsOf} from "../measure/pairs.ts"
import {runScript} from "../measure/process.ts"
import {onEachRuntime, type Row} from "../row.ts"

interface Rates {
  readonly rate: readonly number[]
  readonly perCpu: readonly number[]
}

type Samples = Readonly<Record<"file" | "database" | "driver, batch" | "driver, set-wise" | "bytes", Rates>>

/** The number of records per group, the workroom's own maximum. */
const groupSize = 512
const groups = 28

const yardsticks = [
  {name: "driver, batch", about: "the driver's batch, one INSERT a record", target: atLeast(0.5)},
  {name: "driver, set-wise", about: "the driver, one INSERT a group"},
  {name: "bytes", about: "write and fdatasync of the same bytes"},
] as const

const figuresOf = (samples: Samples, store: "file" | "database", on: string): readonly Figure[] => {
  const ratios = yardsticks.map(({name, about, ...more}): Figure => {
    const measured = pairsOf(samples[store].rate, samples[name].rate)
    return {
      name: `${store} store, ${on}`,
      unit: "",
      value: measured.ratio,
      against: about,
      detail: sides(measured, "records/s"),
      ...more,
    }
  })
  const {subject, ratio} = pairsOf(samples[store].perCpu, samples["driver, batch"].perCpu)
  const perCpu: Figure = {name: `${store} store per CPU-second, ${on}`, unit: "/s", value: subject}
  const against = "the driver's batch per CPU-second"
  return [...ratios, perCpu, {name: `${store} store per CPU-second, ${on}`, unit: "", value: ratio, against}]
}

const measureOn = async (runtime: TestRuntime, pairs: number): Promise<readonly Figure[]> => {
  const command = await scriptCommand(runtime, "tests/bench/workroom/work/journal.ts")
  const samples = await runScript<Samples>([...command, ...[pairs, groupSize, groups].map(String)])
  return [...figuresOf(samples, "file", `on ${runtime.name}`), ...figuresOf(samples, "database", `on ${runtime.name}`)]
}

export const journal: Row = {
  name: "journal",
  summary: `durable commands of the workroom, ${groupSize} at a time, in both stores: decided, chained, stored, projected, answered`,
  measure: onEachRuntime((runtime, {pairs}) => measureOn(runtime, pairs)),
}
