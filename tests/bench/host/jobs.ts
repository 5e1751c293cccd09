import type {TestRuntime} from "../../support/host/runtimes.ts"
import {scriptCommand} from "../measure/compiled.ts"
import type {Figure} from "../measure/figure.ts"
import {runScript} from "../measure/process.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row} from "../row.ts"

type Samples = Readonly<Record<"read" | "start" | "due" | "memory", readonly number[]>>

const names = {
  read: "the file read and checked",
  start: "every due time worked out, and stored",
  due: "one due: from the timer to its target, claimed and begun durably",
  memory: "resident memory that they take",
} as const

const measureOn = async (runtime: TestRuntime, rounds: number): Promise<readonly Figure[]> => {
  const command = await scriptCommand(runtime, "tests/bench/host/work/jobs.ts")
  const all: Samples[] = []
  for (let round = 0; round < rounds; round++) all.push(await runScript<Samples>(command))
  return (["read", "start", "due", "memory"] as const).map(kind => ({
    name: `${names[kind]}, on ${runtime.name}`,
    unit: kind === "memory" ? "MB" : "ms",
    value: spreadOf(all.flatMap(samples => samples[kind])),
  }))
}

export const jobs: Row = {
  name: "jobs",
  summary: "ten thousand scheduled jobs: reading them, finding what is due, memory",
  measure: onEachRuntime((runtime, {pairs}) => measureOn(runtime, Math.min(pairs, 3))),
}
