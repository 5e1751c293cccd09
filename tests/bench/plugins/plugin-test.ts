import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {scriptCommand} from "../measure/compiled.ts"
import type {Figure} from "../measure/figure.ts"
import {runScript} from "../measure/process.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row} from "../row.ts"

type Samples = Readonly<Record<"first" | "next", readonly number[]>>

const names = {
  first: "the first test of a process: the library loaded, a bot started, asked and closed",
  next: "each further test in it",
} as const

const measureOn = async (runtime: TestRuntime, rounds: number): Promise<readonly Figure[]> => {
  const script = await scriptCommand(runtime, "tests/bench/plugins/work/plugin-test.ts")
  const command = [...script, `${root}dist/${runtime.name === "bun" ? "bun/" : ""}testing.js`]
  const all: Samples[] = []
  for (let round = 0; round < rounds; round++) all.push(await runScript<Samples>(command))
  return (["first", "next"] as const).map(kind => ({
    name: `${names[kind]}, on ${runtime.name}`,
    unit: "ms",
    value: spreadOf(all.flatMap(samples => samples[kind])),
  }))
}

export const pluginTest: Row = {
  name: "plugin-test",
  summary: "a test of a plugin with svc-runtime/test: the first one of a process, and further ones",
  measure: onEachRuntime((runtime, {pairs}) => measureOn(runtime, Math.min(pairs, 5))),
}
