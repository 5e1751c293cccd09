import type {TestRuntime} from "../../support/host/runtimes.ts"
import {scriptCommand} from "../measure/compiled.ts"
import {atLeast, type Figure, short, type Target} from "../measure/figure.ts"
import {runScript} from "../measure/process.ts"
import {median, spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

type Samples = Readonly<Record<string, readonly number[]>>

const samplesOf = (samples: Samples, kind: string, size: number) => samples[`${kind} ${size}`] ?? []

const rate = (samples: Samples, {name}: TestRuntime, kind: string, size: number, target?: Target): Figure => ({
  name: `${kind}, ${size} commands, on ${name}`,
  unit: "/s",
  value: spreadOf(samplesOf(samples, kind, size)),
  ...(target === undefined ? {} : {target}),
  against: "Map.has of the first word",
  detail: `${short(median(samplesOf(samples, "map", size)))} /s`,
})

/** 1,000 commands against 10, by round. */
const flatness = (samples: Samples, {name}: TestRuntime): Figure => {
  const few = samplesOf(samples, "router", 10)
  const ratios = samplesOf(samples, "router", 1000).map((many, round) => many / (few[round] ?? Number.NaN))
  const lookups = samplesOf(samples, "map", 10)
  const own = samplesOf(samples, "map", 1000).map((many, round) => many / (lookups[round] ?? Number.NaN))
  return {
    name: `router, 1000 commands against 10, on ${name}`,
    unit: "",
    value: spreadOf(ratios),
    target: atLeast(0.8),
    against: "the same of Map.has",
    detail: short(median(own)),
  }
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const command = await scriptCommand(runtime, "tests/bench/messages/work/dispatch.ts")
  const samples = await runScript<Samples>([...command, String(pairs)])
  return [
    rate(samples, runtime, "router", 10),
    rate(samples, runtime, "router", 100, atLeast(300_000)),
    rate(samples, runtime, "router", 1000),
    flatness(samples, runtime),
    rate(samples, runtime, "dispatch", 100),
    rate(samples, runtime, "guarded", 100),
    rate(samples, runtime, "guarded", 1000),
  ]
}

export const dispatch: Row = {
  name: "dispatch",
  summary:
    "per CPU-second: router finds a command and reads its arguments; dispatch runs its handler too, without the database; guarded beside that a permission, a cooldown and a middleware",
  measure: onEachRuntime(measureOn),
}
