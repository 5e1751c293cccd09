import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, short} from "../measure/figure.ts"
import {type BenchHost, configOf, greeter, makeProject, startHost} from "../measure/host.ts"
import {percentile, slopeOf, spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The number of reloads of a changed configuration; heap samples start at the 200th. */
const cycles = 1000
const settledAfter = 200
const sampleEvery = 50

/** A plugin of the measured Host that every reload carries over. It collects garbage and returns the used heap. */
const meter = `import {definePlugin, Type} from "svc-runtime"

const Heap = Type.Object({used: Type.Integer()})

const heapUsed = async () => {
  if (process.versions.bun === undefined) {
    for (let time = 0; time < 3; time++) globalThis.gc()
    return process.memoryUsage().heapUsed
  }
  const {heapStats} = await import("bun:jsc")
  for (let time = 0; time < 3; time++) Bun.gc(true)
  return heapStats().heapSize
}

export default definePlugin({
  setup(plugin) {
    plugin.route({
      method: "GET", path: "/heap", scope: "full", summary: "Bytes of the heap after a forced collection",
      response: {200: Heap},
      handle: async (_, call) => call.json(Heap, {used: await heapUsed()}),
    })
  },
})
`

const pluginsFor = (cycle: number) => `  meter: {}\n  greeter:\n    config:\n      greeting: hello ${cycle}\n`

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const heapOf = async (host: BenchHost): Promise<number> => {
  // Replaced instances are disposed of after the answer.
  await sleep(50)
  const {used} = (await (await host.fetch("/api/plugins/meter/heap")).json()) as {used: number}
  return used
}

const requestReload = async (host: BenchHost, committed: boolean) => {
  const answer = (await (await host.fetch("/api/system/reload", {method: "POST", body: "{}"})).json()) as {
    committed: boolean
  }
  if (answer.committed !== committed) throw new Error(`the reload answered ${JSON.stringify(answer)}`)
}

const measureOn = async (runtime: TestRuntime, progress: RowOptions["progress"]): Promise<readonly Figure[]> => {
  const project = makeProject(pluginsFor(0), {meter, greeter})
  const host = await startHost(runtime, project, runtime.name === "bun" ? [] : ["--expose-gc"])
  const changed: number[] = []
  const unchanged: number[] = []
  const heap: [cycle: number, bytes: number][] = []
  for (let cycle = 1; cycle <= cycles; cycle++) {
    project.write("svc.config.yml", configOf(pluginsFor(cycle)))
    changed.push(await timed(() => requestReload(host, true)))
    unchanged.push(await timed(() => requestReload(host, false)))
    if (cycle >= settledAfter && cycle % sampleEvery === 0) heap.push([cycle, await heapOf(host)])
    if (cycle % 250 === 0) progress(`${cycle} reloads on ${runtime.name}`)
  }
  await host.stop()
  project.remove()
  return [
    {
      name: `time on ${runtime.name}`,
      unit: "ms",
      value: spreadOf(changed),
      target: atMost(50),
      against: "a reload that finds nothing changed",
      detail: `${short(percentile(unchanged, 0.5))} ms; p99 ${short(percentile(changed, 0.99))} against ${short(percentile(unchanged, 0.99))} ms`,
    },
    {
      name: `growth on ${runtime.name}`,
      unit: "KB/cycle",
      value: growthOf(heap),
      target: atMost(1),
      detail: `slope of ${heap.length} collected heaps, cycles ${settledAfter} to ${cycles}: ${heap.map(([, bytes]) => short(bytes / 1024 / 1024)).join(" ")} MB`,
    },
  ]
}

/** The slope over all samples; the spread is that of the first and the second half. */
const growthOf = (heap: readonly (readonly [cycle: number, bytes: number])[]) => {
  const middle = Math.floor(heap.length / 2)
  const kilobytes = (points: typeof heap) => slopeOf(points) / 1024
  const halves = [kilobytes(heap.slice(0, middle + 1)), kilobytes(heap.slice(middle))]
  return {median: kilobytes(heap), lowest: Math.min(...halves), highest: Math.max(...halves)}
}

export const reload: Row = {
  name: "reload",
  summary: `${cycles} reloads of a changed configuration, over HTTP on a real Host: time of each, growth of the heap`,
  measure: onEachRuntime((runtime, {progress}) => measureOn(runtime, progress)),
}
