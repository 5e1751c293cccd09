import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {bareName, startBare} from "../measure/bare.ts"
import {atMost, type Figure, sides} from "../measure/figure.ts"
import {smallBot, startHost} from "../measure/host.ts"
import {pairsOf} from "../measure/pairs.ts"
import {cpuSeconds, wakeups} from "../measure/process-stat.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The rest before the measurement, in which Bun still compiles, and its length, in milliseconds. */
const settled = 240_000
const length = 60_000

interface Rest {
  /** Milliseconds of processor time. */
  readonly used: number
  /** A second. */
  readonly woken: number
}

const restOf = async (pid: number): Promise<Rest> => {
  await sleep(settled)
  const [cpu, woken] = [cpuSeconds(pid), wakeups(pid)]
  await sleep(length)
  return {used: (cpuSeconds(pid) - cpu) * 1000, woken: (wakeups(pid) - woken) / (length / 1000)}
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const project = smallBot()
  const samples: (readonly [host: Rest, bare: Rest])[] = []
  while (samples.length < pairs) {
    const host = await startHost(runtime, project)
    const bare = await startBare(runtime, {status: 200, headers: {}, body: "{}"})
    samples.push(await Promise.all([restOf(host.pid), restOf(bare.pid)]))
    await Promise.all([host.stop(), bare.process.stop()])
  }
  project.remove()
  const figure = (name: string, unit: string, most: number, read: (rest: Rest) => number): Figure => {
    const both = pairsOf(
      samples.map(([host]) => read(host)),
      samples.map(([, bare]) => read(bare)),
    )
    const [value, target, against] = [both.subject, atMost(most), bareName(runtime)]
    return {name: `${name} on ${runtime.name}`, unit, value, target, against, detail: sides(both, unit)}
  }
  return [
    figure("processor time a minute", "ms", 40, ({used}) => used),
    figure("wakeups of all threads", "a second", 3, ({woken}) => woken),
  ]
}

export const rest: Row = {
  name: "rest",
  summary: "processor time and wakeups of a Host at rest with one plugin, four minutes after its start",
  mostPairs: 3,
  measure: onEachRuntime(measureOn),
}
