import type {TestRuntime} from "../../support/host/runtimes.ts"
import {scriptCommand} from "../measure/compiled.ts"
import {atMost, type Figure, short} from "../measure/figure.ts"
import {runScript} from "../measure/process.ts"
import {median, spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

type Samples = Readonly<Record<string, readonly number[]>>

/** Messages without a matching pattern, per second of processor time. */
const rate = (samples: Samples, {name}: TestRuntime, count: number): Figure => ({
  name: `messages against ${count} patterns, on ${name}`,
  unit: "/s",
  value: spreadOf(samples[`heard ${count}`] ?? []),
  against: "RegExp.test",
  detail: `${short(median(samples[`native ${count}`] ?? []))} /s`,
})

/** Twice the text may take at most twice the time. */
const growth = (samples: Samples, {name}: TestRuntime, kind: string, pattern: string): Figure => {
  const half = samples[`${kind} 8192`] ?? []
  const whole = samples[`${kind} 16384`] ?? []
  return {
    name: `16,384 characters against 8,192, ${pattern}, on ${name}`,
    unit: "",
    value: spreadOf(whole.map((time, round) => time / (half[round] ?? Number.NaN))),
    target: atMost(2.5),
    against: "linear: 2",
    detail: `${short(median(whole))} against ${short(median(half))} ms`,
  }
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const command = await scriptCommand(runtime, "tests/bench/plugins/work/hears.ts")
  const samples = await runScript<Samples>([...command, String(pairs)])
  return [
    rate(samples, runtime, 1),
    rate(samples, runtime, 10),
    rate(samples, runtime, 100),
    growth(samples, runtime, "nested", "(a+)+$"),
    growth(samples, runtime, "largest", "[ab]*a[ab]{180}[cd]"),
  ]
}

export const hears: Row = {
  name: "hears",
  summary: "patterns of plugin.hears: messages per CPU-second, and how the time of bad patterns grows with the text",
  measure: onEachRuntime(measureOn),
}
