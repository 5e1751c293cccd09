import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {bareName, startBare} from "../measure/bare.ts"
import {atMost, type Figure, sides} from "../measure/figure.ts"
import {type BenchProject, smallBot, startHost} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {residentMegabytes} from "../measure/process-stat.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** Memory is read this many milliseconds after the server is ready. */
const settled = 1500

const ofHost = async (runtime: TestRuntime, project: BenchProject): Promise<number> => {
  const host = await startHost(runtime, project)
  await sleep(settled)
  const megabytes = residentMegabytes(host.pid)
  await host.stop()
  return megabytes
}

const ofBare = async (runtime: TestRuntime): Promise<number> => {
  const bare = await startBare(runtime, {status: 200, headers: {}, body: "{}"})
  await sleep(settled)
  const megabytes = residentMegabytes(bare.pid)
  await bare.process.stop()
  return megabytes
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const project = smallBot()
  const measured = await measurePairs(
    pairs,
    () => ofHost(runtime, project),
    () => ofBare(runtime),
  )
  project.remove()
  return [
    {
      name: `on ${runtime.name}`,
      unit: "MB",
      value: measured.subject,
      target: atMost(runtime.name === "bun" ? 80 : 120),
      against: bareName(runtime),
      detail: sides(measured, "MB"),
    },
  ]
}

export const memory: Row = {
  name: "memory",
  summary: "resident memory of the Host and its child processes, 1.5 s after the start, with one plugin",
  measure: onEachRuntime(measureOn),
}
